package store

// optionalID is the column of an id that may be absent, which is 0 in the domain.
func optionalID(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// idOrNone is the reverse of optionalID.
func idOrNone(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}
