package database

// MoveInBatches is Move with batches of so many rows.
var MoveInBatches = moveInBatches
