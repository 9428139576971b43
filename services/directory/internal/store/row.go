package store

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
)

// byHand is a statement about a table that is written by hand, whose rows the caller
// scans. That is for what nearly every request reads: to build the statement and to map
// its rows takes gorm as long as the database takes. Hooks on queries see it as a row.
func (s *Store) byHand(ctx context.Context, table, statement string, values ...any) *gorm.DB {
	return s.read.WithContext(ctx).Table(table).Raw(statement, values...)
}

// scanEach calls scan for each of the rows, and closes them.
func scanEach(rows *sql.Rows, scan func() error) error {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// eachRow calls each with the values of every row, and closes rows.
func eachRow(rows *sql.Rows, columns int, each func(values []any) error) error {
	return scanEach(rows, func() error {
		values, places := make([]any, columns), make([]any, columns)
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		return each(values)
	})
}
