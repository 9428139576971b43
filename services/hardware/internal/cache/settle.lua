-- Ends a look-up: keeps its answer, gives up the claim, tells every replica.
-- KEYS[1] answer, KEYS[2] claim; ARGV[1] owner, ARGV[2] milliseconds to keep the
-- answer (0: not at all), ARGV[3] outcome, ARGV[4] channel, ARGV[5] head of the message
if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2]) end
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
return redis.call('PUBLISH', ARGV[4], ARGV[5] .. ARGV[3])
