package account

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// Users are the users in the database. It is safe for concurrent use.
type Users struct{ db *database.DB }

// NewUsers returns the users in db.
func NewUsers(db *database.DB) *Users { return &Users{db} }

// AfterFind implements gorm's callback.
func (u *User) AfterFind(*gorm.DB) error {
	u.CreatedAt = u.CreatedAt.UTC()
	u.UpdatedAt = u.UpdatedAt.UTC()
	u.DisabledAt = database.OptionalInstant(u.DisabledAt)
	return nil
}

// List lists all users.
func (s *Users) List(ctx context.Context) (users []User, err error) {
	err = s.db.Read(ctx).Order("id").Find(&users).Error
	return users, err
}

// ByEmail returns a user, or CodeNoUser.
func (s *Users) ByEmail(ctx context.Context, email string) (u User, err error) {
	err = s.db.Read(ctx).Where("email = ?", NormalEmail(email)).Take(&u).Error
	return u, database.NotFound(err, CodeNoUser)
}

// ByID returns a user, or CodeNoUser.
func (s *Users) ByID(ctx context.Context, id int64) (u User, err error) {
	err = s.db.Read(ctx).Where("id = ?", id).Take(&u).Error
	return u, database.NotFound(err, CodeNoUser)
}

// Names returns the names of users, or their e-mail addresses, by number, without deleted ones.
func (s *Users) Names(ctx context.Context, ids []int64) (map[int64]string, error) {
	var users []User
	if err := s.db.Read(ctx).Select("id, email, name").Where("id IN ?", ids).Find(&users).Error; err != nil {
		return nil, err
	}
	names := make(map[int64]string, len(users))
	for _, u := range users {
		names[u.ID] = cmp.Or(u.Name, u.Email)
	}
	return names, nil
}

const pageLength = 25

// Search lists a page of the users whose e-mail address or name contains text, from the one after
// that id. more reports whether there is another page.
func (s *Users) Search(ctx context.Context, text string, after int64) (users []User, more bool, err error) {
	contains := func(text string) string {
		return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
	}
	query := s.db.Read(ctx).Where("id > ?", after)
	if text = NormalEmail(text); text != "" {
		query = query.Where(
			"(email LIKE ? ESCAPE '\\' OR "+company.NameKey(s.db)+" LIKE ? ESCAPE '\\')",
			contains(text),
			contains(company.NameKeyOf(text)),
		)
	}
	err = query.Order("id").Limit(pageLength + 1).Find(&users).Error
	if more = len(users) > pageLength; more {
		users = users[:pageLength]
	}
	return users, more, err
}

// Create adds u. The faults are CodeEmailTaken and company.CodeNotFound.
func (s *Users) Create(ctx context.Context, u *User) error {
	u.Email = NormalEmail(u.Email)
	return s.insert(s.db.Write(ctx), u)
}

func (s *Users) insert(tx *gorm.DB, u *User) error {
	u.CreatedAt = s.db.At(time.Time{})
	u.UpdatedAt = u.CreatedAt
	err := tx.Create(u).Error
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return company.CodeNotFound.Fault()
	}
	return database.Duplicate(err, CodeEmailTaken)
}

// Add checks and adds u. The faults are CodeInvalidEmail, httpapi.CodeInvalidField, CodeEmailTaken,
// CodeArchived and company.CodeNotFound.
func (s *Users) Add(ctx context.Context, u *User, e trail.Entry) error {
	u.Email, u.Name = NormalEmail(u.Email), strings.TrimSpace(u.Name)
	if !IsEmail(u.Email) {
		return CodeInvalidEmail.Fault()
	}
	if utf8.RuneCountInString(u.Name) > maxUserName {
		return httpapi.CodeInvalidField.Of("name")
	}
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := checkCompany(tx, u.CompanyID); err != nil {
			return err
		}
		if err := s.insert(tx, u); err != nil {
			return err
		}
		e.AboutUserID, e.Detail = u.ID, u.Role.String()
		if u.CompanyID != nil {
			e.CompanyID = *u.CompanyID
		}
		return trail.Record(tx, e)
	})
}

// checkCompany returns CodeArchived or company.CodeNotFound for a company that users cannot join.
func checkCompany(tx *gorm.DB, id *int64) error {
	if id == nil {
		return nil
	}
	var c company.Company
	if err := tx.Where("id = ?", *id).Take(&c).Error; err != nil {
		return database.NotFound(err, company.CodeNotFound)
	}
	if !c.Active() {
		return CodeArchived.Fault()
	}
	return nil
}

// Edit returns the user as changed. Disabling ends the user's sessions and links. The faults are
// CodeNoUser, httpapi.CodeInvalidField, CodeLastAdmin, CodeArchived and company.CodeNotFound.
func (s *Users) Edit(ctx context.Context, id int64, change UserChange, actor Actor) (u User, err error) {
	err = s.db.Transaction(ctx, func(tx *gorm.DB) error {
		// Of two administrators who demote each other, the second one sees what the first did.
		if err := s.db.Queue(tx, "administrators"); err != nil {
			return err
		}
		if err := database.NotFound(database.ForUpdate(tx).Where("id = ?", id).Take(&u).Error, CodeNoUser); err != nil {
			return err
		}
		before := u
		now := s.db.At(time.Time{})
		entries, err := change.apply(&u, actor, now)
		if err != nil || len(entries) == 0 {
			return err
		}
		u.UpdatedAt = now
		if idOr0(u.CompanyID) != idOr0(before.CompanyID) {
			if err := checkCompany(tx, u.CompanyID); err != nil {
				return err
			}
		}
		if before.administers() && !u.administers() && !change.EvenLastAdmin {
			if err := s.keepAdmin(tx, id); err != nil {
				return err
			}
		}
		columns := map[string]any{"name": u.Name, "role": u.Role, "company_id": u.CompanyID,
			"disabled_at": u.DisabledAt, "updated_at": u.UpdatedAt}
		if err := tx.Model(&User{}).Where("id = ?", id).Updates(columns).Error; err != nil {
			return err
		}
		if u.DisabledAt != nil {
			if err := endSessions(tx, id); err != nil {
				return err
			}
		}
		for _, e := range entries {
			if err := trail.Record(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	return u, err
}

// keepAdmin returns CodeLastAdmin unless another administrator than that user can log in.
func (s *Users) keepAdmin(tx *gorm.DB, id int64) error {
	var others int64
	err := tx.Model(&User{}).
		Where("id <> ? AND role = ? AND disabled_at IS NULL AND password_hash <> ''", id, Admin).Count(&others).Error
	if err != nil {
		return err
	}
	if others == 0 {
		return CodeLastAdmin.Fault()
	}
	return nil
}

// SetPasswordHash changes a user's password and ends the sessions and links. The fault is CodeNoUser.
func (s *Users) SetPasswordHash(ctx context.Context, id int64, hash string, e trail.Entry) error {
	e.AboutUserID = id
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		return setPasswordHash(tx, tx.Where("id = ?", id), hash, e, CodeNoUser)
	})
}

// setPasswordHash is SetPasswordHash for the user whom e is about. condition selects that user's row, or
// none, which is the fault absent.
func setPasswordHash(tx, condition *gorm.DB, hash string, e trail.Entry, absent fault.Code) error {
	result := condition.Model(&User{}).Updates(map[string]any{"password_hash": hash})
	if err := database.Changed(result, absent); err != nil {
		return err
	}
	if err := endSessions(tx, e.AboutUserID); err != nil {
		return err
	}
	return trail.Record(tx, e)
}

// endSessions deletes a user's sessions and links.
func endSessions(tx *gorm.DB, userID int64) error {
	if err := tx.Where("user_id = ?", userID).Delete(&Session{}).Error; err != nil {
		return err
	}
	return tx.Where("user_id = ?", userID).Delete(&passwordLink{}).Error
}

type loginNetwork struct {
	UserID  int64  `gorm:"primaryKey"`
	Network string `gorm:"primaryKey"` // its SHA-256
	SeenAt  time.Time
}

// networkLife is how long a network is known after the last login from it.
const networkLife = 180 * 24 * time.Hour

func networkHash(network string) string { return base64.RawURLEncoding.EncodeToString(hashOf(network)) }

func (s *Users) addNetwork(ctx context.Context, userID int64, network string) error {
	row := loginNetwork{UserID: userID, Network: networkHash(network), SeenAt: s.db.At(time.Time{})}
	return s.db.Write(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
}

func (s *Users) knowsNetwork(ctx context.Context, a attempt) (bool, error) {
	var n int64
	err := s.db.Read(ctx).Model(&loginNetwork{}).
		Where(
			"network = ? AND user_id = (SELECT id FROM users WHERE email = ?)",
			networkHash(a.network()),
			a.email,
		).Count(&n).Error
	return n > 0, err
}

// Sweep deletes links that have expired, and networks that are no longer known.
func (s *Users) Sweep(ctx context.Context) error {
	now := s.db.At(time.Time{})
	if _, err := s.db.DeleteInBatches(ctx, "password_links", "expires_at", "expires_at <= ?", now); err != nil {
		return err
	}
	_, err := s.db.DeleteInBatches(ctx, "login_networks", "seen_at", "seen_at < ?", now.Add(-networkLife))
	return err
}
