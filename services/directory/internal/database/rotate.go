package database

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"
)

type sealedTable struct {
	name    string
	key     string   // the column that numbers the rows
	place   []string // the columns that Place names after the secret's
	shown   []string // the columns by which a row is reported: none with a secret, or that leads to a person
	secrets []string // the columns; of one with JSON: column.member
}

var sealedTables = []sealedTable{
	{"oauth_tokens", "id", []string{"company_id", "provider", "service"}, []string{"company_id", "provider", "service"},
		[]string{"access_token", "refresh_token", "metadata_json.user_access_token"}},
	{"social_media_configs", "id", []string{"platform", "company_id"}, []string{"company_id", "platform"},
		[]string{"access_token"}},
	{"webhooks", "id", []string{"company_id", "url"}, []string{"company_id", "id"}, []string{"secret", "old_secret"}},
	{"revocations", "id", []string{"id"}, []string{"id"}, []string{"secret"}},
	{"sessions", "id_hash", []string{"id_hash"}, nil, []string{"oauth_state"}},
}

const rotatePage = 100

// Rotation is the result of RotateSecrets.
type Rotation struct {
	Rows int // that were checked
	// rows with a secret that no key opens, e.g. "oauth_tokens company_id=1 provider=provider_search
	// service=search_profile"
	Unreadable []string
}

// RotateSecrets encrypts every secret of an older key again with the first key, which all replicas
// must use by then. Each row is a transaction of its own, so that the service continues. What no key
// opens stays as it is and is reported.
func (db *DB) RotateSecrets(ctx context.Context) (r Rotation, err error) {
	for _, table := range sealedTables {
		err := table.walk(ctx, db, func(row map[string]any) error {
			r.Rows++
			changed, failed := table.changes(db.keys.renew, row)
			if failed != nil {
				r.Unreadable = append(r.Unreadable, table.describe(row))
			}
			if len(changed) == 0 {
				return nil
			}
			return table.renew(ctx, db, row)
		})
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// CheckSecrets returns the fault secret_unreadable if none of the keys opens a secret.
func (db *DB) CheckSecrets(ctx context.Context) error {
	open := func(sealed string, p Place) (string, bool, error) {
		_, err := db.keys.open(sealed, p)
		return sealed, false, err
	}
	for _, table := range sealedTables {
		err := table.walk(ctx, db, func(row map[string]any) error {
			_, err := table.changes(open, row)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// walk calls each with the table's rows in the order of their key.
func (t sealedTable) walk(ctx context.Context, db *DB, each func(row map[string]any) error) error {
	query := db.Read(ctx)
	for {
		rows, err := t.read(query.Order(t.key).Limit(rotatePage))
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := each(row); err != nil {
				return err
			}
		}
		if len(rows) < rotatePage {
			return nil
		}
		query = db.Read(ctx).Where(t.key+" > ?", rows[len(rows)-1][t.key])
	}
}

func (t sealedTable) describe(row map[string]any) string {
	words := []string{t.name}
	for _, column := range t.shown {
		words = append(words, column+"="+text(row[column]))
	}
	return strings.Join(words, " ")
}

// read returns the rows of a query, with the columns that a renewal needs.
func (t sealedTable) read(query *gorm.DB) (found []map[string]any, err error) {
	columns := append([]string{t.key}, t.place...)
	for _, secret := range t.secrets {
		column, _, _ := strings.Cut(secret, ".")
		columns = append(columns, column)
	}
	err = query.Table(t.name).Select(columns).Find(&found).Error
	return found, err
}

// renew reads a row again, locked, and writes what changes.
func (t sealedTable) renew(ctx context.Context, db *DB, row map[string]any) error {
	return db.Transaction(ctx, func(tx *gorm.DB) error {
		rows, err := t.read(ForUpdate(tx).Where(t.key+" = ?", row[t.key]))
		if err != nil || len(rows) == 0 { // deleted meanwhile
			return err
		}
		changed, _ := t.changes(db.keys.renew, rows[0])
		if len(changed) == 0 {
			return nil
		}
		return tx.Table(t.name).Where(t.key+" = ?", row[t.key]).UpdateColumns(changed).Error
	})
}

// reseal returns a secret as it is to be stored, and whether that is a change.
type reseal func(sealed string, p Place) (renewed string, changed bool, err error)

// changes returns the columns of a row that have to be written, with an error about those that cannot
// be read.
func (t sealedTable) changes(secret reseal, row map[string]any) (changed map[string]any, err error) {
	changed = map[string]any{}
	key := make([]any, len(t.place))
	for i, column := range t.place {
		key[i] = row[column]
	}
	for _, name := range t.secrets {
		column, member, inJSON := strings.Cut(name, ".")
		sealed, document := text(row[column]), map[string]any{}
		if inJSON {
			if invalid := json.Unmarshal([]byte(sealed), &document); invalid != nil {
				err = errors.Join(err, fmt.Errorf("database: %s.%s: %w", t.name, column, invalid))
				continue
			}
			sealed, _ = document[member].(string)
		}
		renewed, isNew, failed := secret(sealed, PlaceOf(t.name, name, key...))
		err = errors.Join(err, failed)
		if !isNew {
			continue
		}
		changed[column] = renewed
		if inJSON {
			document[member] = renewed
			encoded, failed := json.Marshal(document)
			if failed != nil {
				return nil, failed
			}
			changed[column] = string(encoded)
		}
	}
	return changed, err
}

// text is a column's value, which one driver returns as bytes and another as a string.
func text(value any) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	return fmt.Sprint(value)
}
