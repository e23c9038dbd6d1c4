-- What a bare connection asks to find what a reflection knows, once it is open.

-- name: search_private
select * from search_knowledge(array(select id from namespaces where reflection_id = $4), $1, $2::text[], $3)

-- name: set_scope
select set_config('parley.scope', $1, false)

-- name: search_public
select * from gate.search($1, $2::text[], $3)
