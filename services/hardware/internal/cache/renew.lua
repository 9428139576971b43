-- Prolongs the owner's claim. KEYS[1] claim; ARGV[1] owner, ARGV[2] lease in milliseconds
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
