package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"backend.example/services/directory/internal/directory"
)

// Store is the repository of the directory. It is safe for concurrent use.
type Store struct {
	read   *gorm.DB
	write  *gorm.DB // on PostgreSQL the same as read
	engine engine
	keys   *Keyring
	now    func() time.Time
}

// engine is what each database does in its own way.
type engine interface {
	// acquire takes the named lock over all processes that use the database. It
	// waits for it, or reports that another holds it.
	acquire(ctx context.Context, name string, wait bool) (release func(), ok bool, err error)
	// guard keeps other changes of the named connection out, as far as row locks do
	// not do so.
	guard(ctx context.Context, name string) (release func(), err error)
	// queue makes the transactions of that name follow one another.
	queue(tx *gorm.DB, name string) error
	// change runs fn, which may take long at a provider, with a handle for reading and a commit;
	// where there are row locks, both belong to one transaction.
	change(ctx context.Context, s *Store, p directory.Provider, fn func(read *gorm.DB, commit commit) error) error
	// purge overwrites what was deleted, or at least frees its space.
	purge(db *gorm.DB) error
	// close ends what outlasts the connections.
	close() error
	// migrations says which migrations make the schema.
	migrations() migrationSet
	// nameKey is the expression of the index of companies by name, see nameKeyOf.
	nameKey() string
}

// commit runs write in a transaction.
type commit func(write func(tx *gorm.DB) error) error

// Option changes how a Store works.
type Option func(*Store)

// WithClock makes now the source of the times that the store sets.
func WithClock(now func() time.Time) Option {
	return func(s *Store) { s.now = now }
}

// Open opens the database of url: "sqlite:" and the path of a file, which is made
// when it is not there, or "postgres://" (the form of libpq). It does not migrate.
// Its errors do not hold the url's password.
func Open(ctx context.Context, url string, keys *Keyring, options ...Option) (*Store, error) {
	if keys == nil {
		return nil, errors.New("store: no encryption keys")
	}
	s := &Store{keys: keys, now: time.Now}
	for _, option := range options {
		option(s)
	}
	scheme, rest, _ := strings.Cut(url, ":")
	var err error
	switch scheme {
	case "sqlite":
		err = s.openSQLite(ctx, rest)
	case "postgres", "postgresql":
		err = s.openPostgres(url)
	default:
		err = errors.New("database URL: want sqlite:<path> or postgres://<user>@<host>/<database>")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: %w", err), s.Close())
	}
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// config is how gorm is used with every database: silent, since its log would
// hold what is in the rows, and without a transaction around each statement.
func (s *Store) config() *gorm.Config {
	return &gorm.Config{
		TranslateError: true, SkipDefaultTransaction: true, DisableAutomaticPing: true,
		Logger: logger.Discard, NowFunc: func() time.Time { return s.at(time.Time{}) },
	}
}

func openGorm(dialector gorm.Dialector, config *gorm.Config) (*gorm.DB, error) {
	db, err := gorm.Open(dialector, config)
	if err != nil {
		return nil, err
	}
	return db, checkTexts(db)
}

// transaction runs fn in a transaction for writing.
func (s *Store) transaction(ctx context.Context, fn func(tx *gorm.DB) error) error {
	return s.write.WithContext(ctx).Transaction(fn)
}

// Ping asks the database for an answer.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.read.WithContext(ctx).Exec("SELECT 1").Error; err != nil {
		return fmt.Errorf("store: ping: %w", err)
	}
	return nil
}

// Close closes the connections to the database.
func (s *Store) Close() error {
	err := errors.Join(closePool(s.read), closePool(s.write))
	if s.engine != nil {
		err = errors.Join(err, s.engine.close())
	}
	return err
}

func closePool(db *gorm.DB) error {
	if db == nil {
		return nil
	}
	pool, err := db.DB()
	if err == nil {
		err = pool.Close()
	}
	if err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}
