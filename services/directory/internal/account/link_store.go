package account

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// passwordLink is a row of password_links.
type passwordLink struct {
	TokenHash []byte `gorm:"primaryKey"` // SHA-256 of the token
	UserID    int64
	ExpiresAt time.Time
	Email     string // a new address that the link confirms; empty if it sets a password
}

func (s *Users) addLink(ctx context.Context, link passwordLink, e trail.Entry) error {
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&link).Error; err != nil {
			return err
		}
		return trail.Record(tx, e)
	})
}

// ofLink returns the user of a link that can set a password, or CodeInvalidLink.
func (s *Users) ofLink(ctx context.Context, tokenHash []byte, now time.Time) (u User, err error) {
	const valid = "disabled_at IS NULL AND id = (SELECT user_id FROM password_links WHERE token_hash = ? AND " +
		"expires_at > ? AND email = '')"
	err = s.db.Read(ctx).Where(valid, tokenHash, database.Instant(now)).Take(&u).Error
	return u, database.NotFound(err, CodeInvalidLink)
}

// redeem uses a link up. Of several requests at once, one succeeds.
func (s *Users) redeem(ctx context.Context, tokenHash []byte, now time.Time, hash string, e trail.Entry) error {
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		used := tx.Where("token_hash = ? AND expires_at > ? AND email = ''", tokenHash, database.Instant(now)).
			Delete(&passwordLink{})
		if err := database.Changed(used, CodeInvalidLink); err != nil {
			return err
		}
		return setPasswordHash(
			tx.Where("id = ? AND disabled_at IS NULL", e.AboutUserID),
			e.AboutUserID,
			hash,
			e,
			CodeInvalidLink,
		)
	})
}

// passwordMail is a row of password_mails.
type passwordMail struct {
	ID         int64
	UserID     *int64 // nil: the request was for an account that does not exist
	Invitation bool
	Email      string // a new address, to which the mail goes; empty: to the user's
	Inviter    string // the name of the person who invites
	CreatedAt  time.Time
}

// addMail stores a mail with its job, or returns CodeMailFull.
func (s *Users) addMail(ctx context.Context, mail passwordMail) error {
	var waiting int64
	if err := s.db.Read(ctx).Model(&passwordMail{}).Count(&waiting).Error; err != nil {
		return err
	}
	if waiting >= maxMails {
		return CodeMailFull.Fault().After(fullPause)
	}
	mail.CreatedAt = s.db.At(time.Time{})
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&mail).Error; err != nil {
			return err
		}
		return jobs.New(s.db).Insert(tx, jobs.Mail{ID: mail.ID})
	})
}

// ScheduleMails inserts the jobs of mails that wait without one.
func (s *Users) ScheduleMails(tx *gorm.DB) error {
	var ids []int64
	if err := tx.Model(&passwordMail{}).Pluck("id", &ids).Error; err != nil {
		return err
	}
	args := make([]river.JobArgs, len(ids))
	for i, id := range ids {
		args[i] = jobs.Mail{ID: id}
	}
	return jobs.New(s.db).Insert(tx, args...)
}

// mail returns a mail with its user, who is nil if no mail is to be sent. It returns no mail
// if there is none.
func (s *Users) mail(ctx context.Context, id int64) (*passwordMail, *User, error) {
	var mails []passwordMail
	if err := s.db.Read(ctx).Where("id = ?", id).Find(&mails).Error; err != nil || len(mails) == 0 {
		return nil, nil, err
	}
	mail := &mails[0]
	if mail.UserID == nil {
		return mail, nil, nil
	}
	user, err := s.ByID(ctx, *mail.UserID)
	if fault.Is(err, CodeNoUser) || err == nil && user.DisabledAt != nil {
		return mail, nil, nil
	}
	return mail, &user, err
}

func (s *Users) deleteMail(ctx context.Context, id int64) error {
	return s.db.Write(ctx).Where("id = ?", id).Delete(&passwordMail{}).Error
}
