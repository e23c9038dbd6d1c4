import type { Media } from '@parley/engine'
import { computeSha256 } from '../hashes.ts'

/** Stores the bytes once per owner, and names them in the `session` of the statement before. */
export const INSERT_MEDIA = `, given as (
     select id, owner_id, sha256, media_type, bytes
     from session, unnest(:media_hashes::bytea[], :media_types::text[], :media_bytes::bytea[])
       as media (sha256, media_type, bytes)
   ), kept as (
     insert into media (owner_id, sha256, media_type, bytes) select owner_id, sha256, media_type, bytes from given
     on conflict do nothing
   ), naming as (
     insert into session_media (session_id, owner_id, sha256) select id, owner_id, sha256 from given
     on conflict do nothing
   )`

/** The parameters of `INSERT_MEDIA`. */
export const toMediaValues = (media: readonly Media[]) => ({
  media_hashes: media.map(({ bytes }) => computeSha256(bytes)),
  media_types: media.map(({ mediaType }) => mediaType),
  media_bytes: media.map(({ bytes }) => Buffer.from(bytes)),
})
