-- Companies are listed and searched by the beginning of their names, without Polish
-- letters; the store asks for the same expression.

-- +goose Up
CREATE INDEX companies_by_name ON companies (substr(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(lower(name)
    , 'ą', 'a'), 'ć', 'c'), 'ę', 'e'), 'ł', 'l'), 'ń', 'n'), 'ó', 'o'), 'ś', 's'), 'ź', 'z'), 'ż', 'z')
    , 'Ą', 'a'), 'Ć', 'c'), 'Ę', 'e'), 'Ł', 'l'), 'Ń', 'n'), 'Ó', 'o'), 'Ś', 's'), 'Ź', 'z'), 'Ż', 'z'), 1, 100), id);

-- +goose Down
DROP INDEX companies_by_name;
