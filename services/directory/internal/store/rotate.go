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
	steps := []func() (int, error){
		func() (int, error) {
			return rotate(ctx, s, "id", func(r *connectionRow) any { return r.ID }, renewConnection)
		},
		func() (int, error) { return rotate(ctx, s, "id", func(r *configRow) any { return r.ID }, renewConfig) },
		func() (int, error) {
			return rotate(ctx, s, "id_hash", func(r *sessionRow) any { return r.IDHash }, renewSession)
		},
	}
	for _, step := range steps {
		n, err := step()
		rows += n
		if err != nil {
			return rows, failure("rotate secrets", err, nil)
		}
	}
	return rows, nil
}

// renewal renews the secrets in a row, and names the columns that it changed.
type renewal[R any] func(*Keyring, *R) (changed []string, err error)

// rotate walks over a table by its key column.
func rotate[R any](ctx context.Context, s *Store, key string, keyOf func(*R) any, renew renewal[R]) (rows int, err error) {
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
			if err := renewRow(ctx, s, &page[i], key, after, renew); err != nil {
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
func renewRow[R any](ctx context.Context, s *Store, row *R, key string, value any, renew renewal[R]) error {
	if changed, err := renew(s.keys, row); err != nil || len(changed) == 0 {
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
		changed, err := renew(s.keys, &now)
		if err != nil || len(changed) == 0 {
			return err
		}
		return tx.Model(&now).Select(changed).UpdateColumns(&now).Error
	})
}

func renewConnection(k *Keyring, r *connectionRow) ([]string, error) {
	changed, err := false, error(nil)
	for _, secret := range r.secrets() {
		renewed, change, renewErr := k.renew(*secret.sealed, r.place(secret.column))
		*secret.sealed, changed, err = renewed, changed || change, errors.Join(err, renewErr)
	}
	if err != nil || !changed {
		return nil, err
	}
	return []string{"access_token", "refresh_token", "metadata_json"}, nil
}

func renewConfig(k *Keyring, r *configRow) ([]string, error) {
	return renewOnly("access_token", &r.AccessToken, k, r.place())
}

func renewSession(k *Keyring, r *sessionRow) ([]string, error) {
	return renewOnly("data", &r.Data, k, sessionPlace(r.IDHash))
}

// renewOnly renews the only secret of a row.
func renewOnly(column string, sealed *string, k *Keyring, p place) ([]string, error) {
	renewed, changed, err := k.renew(*sealed, p)
	if err != nil || !changed {
		return nil, err
	}
	*sealed = renewed
	return []string{column}, nil
}
