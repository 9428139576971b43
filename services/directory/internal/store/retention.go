package store

import (
	"context"
	"time"

	"backend.example/services/directory/internal/database"
)

// DeleteReadingsBefore deletes at most n past readings from before t, oldest first, and
// returns their number; as do the next two.
func (s *Store) DeleteReadingsBefore(ctx context.Context, t time.Time, n int) (int64, error) {
	return s.deleteOld(ctx, `DELETE FROM social_statistics_history WHERE id IN
		(SELECT id FROM social_statistics_history WHERE synced_at < ? ORDER BY synced_at LIMIT ?)`, t, n)
}

// DeleteAuditsBefore leaves the newest audit of each company.
func (s *Store) DeleteAuditsBefore(ctx context.Context, t time.Time, n int) (int64, error) {
	return s.deleteOld(ctx, `DELETE FROM profile_audits WHERE id IN
		(SELECT id FROM profile_audits old WHERE audit_date < ? AND EXISTS
			(SELECT 1 FROM profile_audits newer WHERE newer.company_id = old.company_id AND newer.id > old.id)
		ORDER BY audit_date LIMIT ?)`, t, n)
}

// DeleteTrailBefore fails for lines of the last 30 days.
func (s *Store) DeleteTrailBefore(ctx context.Context, t time.Time, n int) (int64, error) {
	return s.deleteOld(ctx, `DELETE FROM audit_trail WHERE id IN
		(SELECT id FROM audit_trail WHERE at < ? ORDER BY at LIMIT ?)`, t, n)
}

func (s *Store) deleteOld(ctx context.Context, statement string, t time.Time, n int) (int64, error) {
	result := s.Write(ctx).Exec(statement, database.Instant(t), n)
	return result.RowsAffected, failure("delete old rows", result.Error, nil)
}
