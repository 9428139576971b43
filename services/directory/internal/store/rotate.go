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

// columns are the values to write into a row. None means that it is up to date.
type columns map[string]any

// rotate walks over a table by its key column. renew says what has to change in a
// row.
func rotate[R any](ctx context.Context, s *Store, key string, keyOf func(*R) any, renew func(*Keyring, *R) (columns, error)) (rows int, err error) {
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
func renewRow[R any](ctx context.Context, s *Store, row *R, key string, value any, renew func(*Keyring, *R) (columns, error)) error {
	if changes, err := renew(s.keys, row); err != nil || len(changes) == 0 {
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
		changes, err := renew(s.keys, &now)
		if err != nil || len(changes) == 0 {
			return err
		}
		return tx.Model(new(R)).Where(key+" = ?", value).UpdateColumns(map[string]any(changes)).Error
	})
}

func renewConnection(k *Keyring, r *connectionRow) (columns, error) {
	access, changedAccess, err1 := k.renew(r.AccessToken, r.place(accessColumn))
	refresh, changedRefresh, err2 := k.renew(r.RefreshToken, r.place(refreshColumn))
	meta := r.MetadataJSON
	user, changedUser, err3 := k.renew(meta.value.UserAccessToken, r.place(userColumn))
	if err := errors.Join(err1, err2, err3); err != nil || !changedAccess && !changedRefresh && !changedUser {
		return nil, err
	}
	meta.value.UserAccessToken = user
	return columns{"access_token": access, "refresh_token": refresh, "metadata_json": meta}, nil
}

func renewConfig(k *Keyring, r *configRow) (columns, error) {
	token, changed, err := k.renew(r.AccessToken, r.place())
	if err != nil || !changed {
		return nil, err
	}
	return columns{"access_token": token}, nil
}

func renewSession(k *Keyring, r *sessionRow) (columns, error) {
	data, changed, err := k.renew(r.Data, sessionPlace(r.IDHash))
	if err != nil || !changed {
		return nil, err
	}
	return columns{"data": data}, nil
}
