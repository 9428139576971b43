package store

import "database/sql"

// eachRow calls each with the values of every row, and closes rows.
func eachRow(rows *sql.Rows, columns int, each func(values []any) error) error {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		values, places := make([]any, columns), make([]any, columns)
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
