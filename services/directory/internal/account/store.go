package account

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/jobs"
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

// List lists all users in the order in which they were added.
func (s *Users) List(ctx context.Context) (users []User, err error) {
	err = s.db.Read(ctx).Order("id").Find(&users).Error
	return users, err
}

// ByEmail returns the user with that address, in any letter case, or CodeNoUser.
func (s *Users) ByEmail(ctx context.Context, email string) (u User, err error) {
	err = s.db.Read(ctx).Where("email = ?", NormalEmail(email)).Take(&u).Error
	return u, database.NotFound(err, CodeNoUser)
}

// ByID returns the user with that id, or CodeNoUser.
func (s *Users) ByID(ctx context.Context, id int64) (u User, err error) {
	err = s.db.Read(ctx).Where("id = ?", id).Take(&u).Error
	return u, database.NotFound(err, CodeNoUser)
}

// Names returns the names of users, or their e-mail addresses if they have none, by number.
// Users who were deleted are left out.
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

// pageLength is the length of a page of a search.
const pageLength = 25

// Search lists the users whose e-mail address or name contains text, in the order in which
// they were added, a page at a time after the user with that id. more reports whether there
// is another page.
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

// Create adds u and sets its ID and times, and its e-mail address to lower case. The
// faults are CodeEmailTaken and company.CodeNotFound.
func (s *Users) Create(ctx context.Context, u *User) error {
	u.Email = NormalEmail(u.Email)
	return s.insert(s.db.Write(ctx), u)
}

// insert adds u and sets its ID and times. The faults are those of Create.
func (s *Users) insert(tx *gorm.DB, u *User) error {
	u.CreatedAt = s.db.At(time.Time{})
	u.UpdatedAt = u.CreatedAt
	err := tx.Create(u).Error
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return company.CodeNotFound.Fault()
	}
	return database.Duplicate(err, CodeEmailTaken)
}

// Add checks and adds a user, who has no password unless u has one, with a line in the audit
// trail. The faults are CodeInvalidEmail, CodeEmailTaken, CodeArchived and
// company.CodeNotFound.
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

// checkCompany returns an error unless users may join the company; nil is none.
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

// Edit changes what change names, with a line in the audit trail for each, and returns the
// user as it is then. Disabling ends the user's sessions and links. The faults are
// CodeNoUser, CodeLastAdmin, CodeArchived and company.CodeNotFound.
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
		entries, err := change.apply(&u, actor, s.db.At(time.Time{}))
		if err != nil || len(entries) == 0 {
			return err
		}
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
			"disabled_at": u.DisabledAt}
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

// keepAdmin returns CodeLastAdmin unless there is an administrator besides the user.
func (s *Users) keepAdmin(tx *gorm.DB, id int64) error {
	var others int64
	err := tx.Model(
		&User{},
	).Where(
		"id <> ? AND role = ? AND disabled_at IS NULL AND password_hash <> ''",
		id,
		Admin,
	).Count(
		&others,
	).Error
	if err == nil && others == 0 {
		err = CodeLastAdmin.Fault()
	}
	return err
}

// SetPasswordHash changes a user's password and ends all of the user's sessions and links,
// in one transaction. The fault is CodeNoUser.
func (s *Users) SetPasswordHash(ctx context.Context, id int64, hash string, e trail.Entry) error {
	return s.db.Transaction(
		ctx,
		func(tx *gorm.DB) error { return setPasswordHash(tx.Where("id = ?", id), id, hash, e, CodeNoUser) },
	)
}

// replacePassword is SetPasswordHash, unless the password has changed since u was read.
func (s *Users) replacePassword(ctx context.Context, u User, hash string, e trail.Entry) error {
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		return setPasswordHash(
			tx.Where("id = ? AND password_hash = ?", u.ID, u.PasswordHash),
			u.ID,
			hash,
			e,
			CodeWrongPassword,
		)
	})
}

func setPasswordHash(user *gorm.DB, id int64, hash string, e trail.Entry, absent fault.Code) error {
	tx := user.Session(&gorm.Session{NewDB: true})
	if err := database.Changed(user.Model(&User{}).Updates(map[string]any{"password_hash": hash}), absent); err != nil {
		return err
	}
	if err := endSessions(tx, id); err != nil {
		return err
	}
	return trail.Record(tx, e)
}

// endSessions ends a user's sessions, and the links that could set another password.
func endSessions(tx *gorm.DB, userID int64) error {
	if err := tx.Where("user_id = ?", userID).Delete(&Session{}).Error; err != nil {
		return err
	}
	return tx.Where("user_id = ?", userID).Delete(&passwordLink{}).Error
}

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
		used := tx.Where(
			"token_hash = ? AND expires_at > ? AND email = ''",
			tokenHash,
			database.Instant(now),
		).Delete(
			&passwordLink{},
		)
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
	for _, id := range ids {
		if err := jobs.New(s.db).Insert(tx, jobs.Mail{ID: id}); err != nil {
			return err
		}
	}
	return nil
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

// loginNetwork is a row of login_networks.
type loginNetwork struct {
	UserID  int64  `gorm:"primaryKey"`
	Network string `gorm:"primaryKey"` // its SHA-256
	SeenAt  time.Time
}

// networkLife is how long a network is known after the last login from there.
const networkLife = 180 * 24 * time.Hour

func networkHash(network string) string { return base64.RawURLEncoding.EncodeToString(hashOf(network)) }

// addNetwork stores that a user has logged in from a network.
func (s *Users) addNetwork(ctx context.Context, userID int64, network string) error {
	row := loginNetwork{UserID: userID, Network: networkHash(network), SeenAt: s.db.At(time.Time{})}
	return s.db.Write(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
}

// knowsNetwork reports whether the account has been logged in from the network.
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

// Of lists a user's sessions without their values, the last used first.
func (s *Sessions) Of(ctx context.Context, userID int64) (list []Session, err error) {
	err = s.db.Read(ctx).Omit("data").Where("user_id = ?", userID).Find(&list).Error
	// without an index for it
	slices.SortFunc(list, func(a, b Session) int { return b.LastSeenAt.Compare(a.LastSeenAt) })
	for i := range list {
		list[i].CreatedAt, list[i].LastSeenAt = list[i].CreatedAt.UTC(), list[i].LastSeenAt.UTC()
	}
	return list, err
}

// ListedSession is a session as a list shows it.
type ListedSession struct {
	ID         string    `json:"id"` // enough of the hash to distinguish a user's sessions
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
	Browser    string    `json:"browser"` // such as "Firefox, Windows"; empty if unknown
	Network    string    `json:"network"` // from which the user logged in
	Current    bool      `json:"current"` // of the browser that sends the request
}

// Listed returns sessions as a list shows them; current is the ID of the request's own.
func Listed(sessions []Session, current string) []ListedSession {
	list := []ListedSession{}
	for _, s := range sessions {
		list = append(
			list,
			ListedSession{s.listedID(), s.CreatedAt, s.LastSeenAt, s.Browser, s.Network, s.listedID() == current},
		)
	}
	return list
}

func (s *Session) listedID() string { return hex.EncodeToString(s.IDHash[:min(6, len(s.IDHash))]) }

// EndOf ends the user's session with that ID, or all of them but the one called except if
// the ID is empty, with a line in the audit trail. It returns how many it ended, and
// CodeUnknownSession if there is none with that ID.
func (s *Sessions) EndOf(ctx context.Context, actor Actor, u User, id, except string) (ended int, err error) {
	sessions, err := s.Of(ctx, u.ID)
	if err != nil {
		return 0, err
	}
	var hashes [][]byte
	for _, session := range sessions {
		listed := session.listedID()
		if id == listed || id == "" && listed != except {
			hashes = append(hashes, session.IDHash)
		}
	}
	if id != "" && len(hashes) == 0 {
		return 0, CodeUnknownSession.Fault()
	}
	err = s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Where("id_hash IN ?", hashes).Delete(&Session{}).Error; err != nil {
			return err
		}
		return trail.Record(tx, actor.About(u, "session end", fmt.Sprintf("%d ended", len(hashes))))
	})
	return len(hashes), err
}

// Delete ends a session. Ending one that has ended is not an error.
func (s *Sessions) Delete(ctx context.Context, idHash []byte) error {
	return s.db.Write(ctx).Where("id_hash = ?", idHash).Delete(&Session{}).Error
}

func sessionPlace(idHash []byte) database.Place {
	return database.PlaceOf("sessions", "data", idHash)
}

// Insert adds a session.
func (s *Sessions) Insert(ctx context.Context, session Session) error {
	session.Data = s.db.Seal(string(session.Values), sessionPlace(session.IDHash))
	session.CreatedAt, session.LastSeenAt = s.db.At(session.CreatedAt), s.db.At(session.LastSeenAt)
	return s.db.Write(ctx).Create(&session).Error
}

// sessionWithUser is read with every request of a logged-in user. The columns of the
// user are null if there is none.
const sessionWithUser = `SELECT s.data, s.version, s.created_at, s.last_seen_at,
	u.id, u.company_id, u.email, u.name, u.password_hash, u.role, u.created_at, u.updated_at
	FROM sessions s LEFT JOIN users u ON u.id = s.user_id AND u.disabled_at IS NULL WHERE s.id_hash = ?`

// Find returns the session whose id has that hash, with its user unless that user is
// disabled. The fault is CodeNoSession, also if the key of its values is lost.
func (s *Sessions) Find(ctx context.Context, idHash []byte) (Session, error) {
	session := Session{IDHash: idHash}
	var (
		email, name, passwordHash sql.Null[string]
		user                      User
		role                      sql.Null[Role]
		created, updated          sql.Null[time.Time]
	)
	err := s.db.Raw(ctx, "sessions", sessionWithUser, idHash).Row().Scan(
		&session.Data, &session.Version, &session.CreatedAt, &session.LastSeenAt,
		&session.UserID, &user.CompanyID, &email, &name, &passwordHash, &role, &created, &updated)
	if err != nil {
		return Session{}, database.NotFound(err, CodeNoSession)
	}
	values, err := s.db.Unseal(session.Data, sessionPlace(idHash))
	if err != nil {
		return Session{}, CodeNoSession.Wrap(err)
	}
	session.Values, session.Data = []byte(values), ""
	session.CreatedAt, session.LastSeenAt = session.CreatedAt.UTC(), session.LastSeenAt.UTC()
	if session.UserID != nil {
		user.ID = *session.UserID
		user.Email = email.V
		user.Name = name.V
		user.PasswordHash = passwordHash.V
		user.Role = role.V
		user.CreatedAt = created.V.UTC()
		user.UpdatedAt = updated.V.UTC()
		session.User = &user
	}
	return session, nil
}

// Replace replaces user, values and last use of a session that still has the given version,
// and returns it with the new one. The faults are CodeNoSession and CodeSessionConflict.
func (s *Sessions) Replace(ctx context.Context, session Session) (Session, error) {
	session.LastSeenAt = s.db.At(session.LastSeenAt)
	session.CreatedAt = s.db.At(session.CreatedAt)
	result := s.db.Write(ctx).Model(&Session{}).Where("id_hash = ? AND version = ?", session.IDHash, session.Version).
		Updates(map[string]any{
			"user_id": session.UserID, "data": s.db.Seal(string(session.Values), sessionPlace(session.IDHash)),
			"version": session.Version + 1, "last_seen_at": session.LastSeenAt,
		})
	err := database.Changed(result, CodeNoSession)
	if fault.Is(err, CodeNoSession) {
		found := s.db.Write(ctx).Select("version").Where("id_hash = ?", session.IDHash).Take(&Session{})
		if err = database.NotFound(found.Error, CodeNoSession); err == nil {
			err = CodeSessionConflict.Fault()
		}
	}
	if err != nil {
		return Session{}, err
	}
	session.Version++
	return session, nil
}

// DeleteBefore deletes the sessions that began before created or were last used before
// lastSeen, and returns their number.
func (s *Sessions) DeleteBefore(ctx context.Context, created, lastSeen time.Time) (int64, error) {
	began, err := s.db.DeleteInBatches(ctx, "sessions", "created_at", "created_at < ?", database.Instant(created))
	if err != nil {
		return began, err
	}
	idle, err := s.db.DeleteInBatches(ctx, "sessions", "last_seen_at", "last_seen_at < ?", database.Instant(lastSeen))
	return began + idle, err
}
