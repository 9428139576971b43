package store

import (
	"context"
	"errors"

	"gorm.io/gorm"
)

// rotatePage is how many rows are read at once.
const rotatePage = 100

// RotateSecrets encrypts again, with the first key, every secret that another key
// encrypted, and returns how many rows it has looked at. Each row is a transaction
// of its own, so that the service works on meanwhile; a row that changes meanwhile
// keeps its change. Replicas must have the new key first in their list before this
// runs.
func (s *Store) RotateSecrets(ctx context.Context) (rows int, err error) {
	return s.eachSecret(ctx, s.keys.renew)
}

// CheckSecrets answers a secret that none of the keys opens with the fault
// secret_unreadable.
func (s *Store) CheckSecrets(ctx context.Context) error {
	_, err := s.eachSecret(ctx, func(sealed string, p place) (string, bool, error) {
		_, err := s.keys.open(sealed, p)
		return sealed, false, err
	})
	return err
}

// reseal returns a secret as it is to be stored, and whether that is a change.
type reseal func(sealed string, p place) (renewed string, changed bool, err error)

func (s *Store) eachSecret(ctx context.Context, secret reseal) (rows int, err error) {
	steps := []func() (int, error){
		func() (int, error) {
			return rotate(ctx, s, secret, "id", func(r *connectionRow) any { return r.ID }, renewConnection)
		},
		func() (int, error) {
			return rotate(ctx, s, secret, "id", func(r *configRow) any { return r.ID }, renewConfig)
		},
		func() (int, error) {
			return rotate(ctx, s, secret, "id", func(r *webhookRow) any { return r.ID }, renewWebhook)
		},
		func() (int, error) {
			return rotate(ctx, s, secret, "id_hash", func(r *sessionRow) any { return r.IDHash }, renewSession)
		},
	}
	for _, step := range steps {
		n, err := step()
		rows += n
		if err != nil {
			return rows, failure("walk over secrets", err, nil)
		}
	}
	return rows, nil
}

// renewal renews the secrets in a row, and names the columns that it changed.
type renewal[R any] func(reseal, *R) (changed []string, err error)

// rotate walks over a table by its key column.
func rotate[R any](ctx context.Context, s *Store, secret reseal, key string, keyOf func(*R) any, renew renewal[R]) (rows int, err error) {
	var after any
	for {
		var page []R
		query := s.read.WithContext(ctx).Order(key).Limit(rotatePage)
		if after != nil {
			query = query.Where(key+" > ?", after)
		}
		if err := query.Find(&page).Error; err != nil {
			return rows, err
		}
		for i := range page {
			after = keyOf(&page[i])
			if err := renewRow(ctx, s, secret, &page[i], key, after, renew); err != nil {
				return rows, err
			}
			rows++
		}
		if len(page) < rotatePage {
			return rows, nil
		}
	}
}

// renewRow reads the row again, locked, before it writes.
func renewRow[R any](ctx context.Context, s *Store, secret reseal, row *R, key string, value any, renew renewal[R]) error {
	if changed, err := renew(secret, row); err != nil || len(changed) == 0 {
		return err
	}
	return s.transaction(ctx, func(tx *gorm.DB) error {
		var now R
		err := forUpdate(tx).Where(key+" = ?", value).Take(&now).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		changed, err := renew(secret, &now)
		if err != nil || len(changed) == 0 {
			return err
		}
		return tx.Model(&now).Select(changed).UpdateColumns(&now).Error
	})
}

func renewConnection(secret reseal, r *connectionRow) ([]string, error) {
	return renewAll(secret, r.secrets(), r.place, "access_token", "refresh_token", "metadata_json")
}

func renewWebhook(secret reseal, r *webhookRow) ([]string, error) {
	return renewAll(secret, r.secrets(), r.place, "secret", "old_secret")
}

// renewAll renews several secrets of a row, which the columns hold.
func renewAll(secret reseal, secrets []sealedColumn, at func(column string) place, columns ...string) ([]string, error) {
	changed, err := false, error(nil)
	for _, column := range secrets {
		renewed, change, renewErr := secret(*column.sealed, at(column.column))
		*column.sealed, changed, err = renewed, changed || change, errors.Join(err, renewErr)
	}
	if err != nil || !changed {
		return nil, err
	}
	return columns, nil
}

func renewConfig(secret reseal, r *configRow) ([]string, error) {
	return renewOnly("access_token", &r.AccessToken, secret, r.place())
}

func renewSession(secret reseal, r *sessionRow) ([]string, error) {
	return renewOnly("data", &r.Data, secret, sessionPlace(r.IDHash))
}

// renewOnly renews the only secret of a row.
func renewOnly(column string, sealed *string, secret reseal, p place) ([]string, error) {
	renewed, changed, err := secret(*sealed, p)
	if err != nil || !changed {
		return nil, err
	}
	*sealed = renewed
	return []string{column}, nil
}
