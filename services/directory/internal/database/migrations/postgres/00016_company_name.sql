-- Companies are listed and searched by the beginning of their names, without Polish
-- letters; the store asks for the same expression.

-- +goose Up
CREATE INDEX companies_by_name ON companies ((left(translate(lower(name), 'ąćęłńóśźżĄĆĘŁŃÓŚŹŻ', 'acelnoszzacelnoszz'), 100) COLLATE "C"), id);

-- +goose Down
DROP INDEX companies_by_name;
