package store

import (
	"context"
	"errors"

	"gorm.io/gorm"
)

// rotatePage is how many rows are read at once.
const rotatePage = 100

// RotateSecrets encrypts again, with the first key, every secret that another key
// encrypted; progress, which may be nil, is told after each row. Each row is a
// transaction of its own, so that the service works on meanwhile; a row that
// changes meanwhile keeps its change. Replicas have to have the new key first in
// their list before this runs.
func (s *Store) RotateSecrets(ctx context.Context, progress func(done, total int)) error {
	r := &rotation{store: s, progress: progress}
	err := errors.Join(r.add(ctx, &connectionRow{}), r.add(ctx, &configRow{}), r.add(ctx, &sessionRow{}))
	if err == nil {
		err = rotate(ctx, r, "id", func(row *connectionRow) any { return row.ID }, renewConnection)
	}
	if err == nil {
		err = rotate(ctx, r, "id", func(row *configRow) any { return row.ID }, renewConfig)
	}
	if err == nil {
		err = rotate(ctx, r, "id_hash", func(row *sessionRow) any { return row.IDHash }, renewSession)
	}
	return failure("rotate secrets", err, nil)
}

type rotation struct {
	store       *Store
	progress    func(done, total int)
	done, total int
}

func (r *rotation) add(ctx context.Context, table any) error {
	var rows int64
	err := r.store.read.WithContext(ctx).Model(table).Count(&rows).Error
	r.total += int(rows)
	return err
}

func (r *rotation) step() {
	r.done++
	r.total = max(r.total, r.done) // rows may have come
	if r.progress != nil {
		r.progress(r.done, r.total)
	}
}

// columns are the values to write into a row; none: it is up to date.
type columns map[string]any

// rotate walks over a table by its key column; renew says what has to change in
// a row.
func rotate[R any](ctx context.Context, r *rotation, key string, keyOf func(*R) any, renew func(*Keyring, *R) (columns, error)) error {
	var after any
	for {
		var page []R
		query := r.store.read.WithContext(ctx).Order(key).Limit(rotatePage)
		if after != nil {
			query = query.Where(key+" > ?", after)
		}
		if err := query.Find(&page).Error; err != nil {
			return err
		}
		for i := range page {
			after = keyOf(&page[i])
			if err := renewRow(ctx, r.store, &page[i], key, after, renew); err != nil {
				return err
			}
			r.step()
		}
		if len(page) < rotatePage {
			return nil
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
