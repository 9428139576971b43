// Package catalog owns the words in which the service is asked: component families,
// product categories and the text of a query, each with its check.
//
// What is answered, and from where, is decided by packages rankings and prices.
package catalog
