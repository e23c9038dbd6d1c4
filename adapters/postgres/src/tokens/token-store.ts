import { randomBytes } from 'node:crypto'
import { type PersonId, PlatformError, type ReflectionId, type Role } from '@parley/contracts'
import type { Page, PageOf } from '@parley/knowledge'
import { pageOf, pageValues } from '../knowledge/paging.ts'
import type { Run } from '../queries.ts'

/** Who a token speaks for. */
export interface TokenRecord {
  readonly tokenId: string
  readonly personId: PersonId
  readonly role: Role
  readonly label: string
}

export interface NewToken {
  readonly personId: PersonId
  readonly label: string
  readonly role: Role
  /** The token's SHA-256; the token itself is never kept. */
  readonly tokenHash: Uint8Array
  readonly expiresAt?: string
  /** Who makes it. */
  readonly by: PersonId
  /** Which it was made for, and in whose record it stands, besides that of the server. */
  readonly reflectionId?: ReflectionId
}

export interface ListedToken extends TokenRecord {
  readonly createdAt: string
  readonly expiresAt?: string
}

/** Which of the tokens that were issued somebody may see and revoke. */
export interface TokenReach {
  readonly roles: readonly Role[]
  /** Only those that were made for no reflection, or for one that this person is an admin of. */
  readonly adminId?: PersonId
}

export interface TokenStore {
  /** A person who is not known yet becomes known by the token's label. That it was made is on record with it. */
  create(token: NewToken): Promise<TokenRecord>
  /** Nothing for a token that is unknown, revoked or expired. */
  find(tokenHash: Uint8Array): Promise<TokenRecord | undefined>
  /** Those within reach that are not revoked, latest first. */
  list(page: Page & { readonly reach: TokenReach }): Promise<PageOf<ListedToken>>
  /** From the next request on it is none, which is on record. Whether there was such a token within reach. */
  revoke(tokenId: string, reach: TokenReach, by: PersonId): Promise<boolean>
  /** Makes this the owner's token; the one that was so before is revoked. One that was issued to somebody is refused. */
  ensureOwner(owner: { readonly tokenHash: Uint8Array }): Promise<PersonId>
}

const OWNER = 'per_owner' as PersonId

export function postgresTokenStore(run: Run): TokenStore {
  return {
    async create({ personId, label, role, tokenHash, expiresAt, by, reflectionId }) {
      const tokenId = newTokenId()
      const values = [tokenId, personId, label, role, asBytes(tokenHash), expiresAt ?? null]
      await run(CREATE, [...values, by, reflectionId ?? null])
      return { tokenId, personId, role, label }
    },

    async find(tokenHash) {
      const [row] = await run<TokenRow>(FIND, [asBytes(tokenHash)])
      return row && { tokenId: row.id, personId: row.person_id, role: row.role, label: row.label }
    },

    async list({ reach, ...page }) {
      return pageOf(page, await run<ListedRow>(LIST, [...reachValues(reach), ...pageValues(page)]), toListed)
    },

    async revoke(tokenId, reach, by) {
      return (await run(REVOKE, [...reachValues(reach), tokenId, by])).length > 0
    },

    async ensureOwner({ tokenHash }) {
      const made = await run(ENSURE_OWNER, [newTokenId(), OWNER, asBytes(tokenHash)])
      if (made.length > 0) return OWNER
      throw new PlatformError('config_invalid', {
        message:
          'The owner’s token is one that was issued to somebody. Set PARLEY_OWNER_TOKEN to another one.',
      })
    },
  }
}

interface TokenRow {
  readonly id: string
  readonly person_id: PersonId
  readonly role: Role
  readonly label: string
}

interface ListedRow extends TokenRow {
  readonly created_at: Date
  readonly expires_at: Date | null
}

const toListed = ({ id, person_id, role, label, created_at, expires_at }: ListedRow): ListedToken => ({
  tokenId: id,
  personId: person_id,
  role,
  label,
  createdAt: created_at.toISOString(),
  ...(expires_at && { expiresAt: expires_at.toISOString() }),
})

const reachValues = ({ roles, adminId }: TokenReach) => [roles, adminId ?? null]

const newTokenId = () => `tok_${randomBytes(12).toString('hex')}`

const asBytes = (hash: Uint8Array) => Buffer.from(hash)

const CREATE = {
  name: 'create_token',
  text: `with person as (
      insert into people (id, label) values ($2, $3) on conflict do nothing
    ), recorded as (
      insert into audit_log (reflection_id, who, what, target) values ($8, $7, 'token_minted', $1)
    )
    insert into tokens (id, person_id, label, role, kind, token_hash, expires_at, reflection_id)
    values ($1, $2, $3, $4, 'issued', $5, $6, $8)`,
}

const FIND = {
  name: 'find_token',
  text: `select id, person_id, role, label from tokens
    where token_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
}

const IN_REACH = `kind = 'issued' and revoked_at is null and role = any($1::text[])
  and ($2::text is null or reflection_id is null or exists (
    select from reflection_members m
    where m.reflection_id = tokens.reflection_id and m.person_id = $2 and m.role in ('owner', 'admin')
  ))`

const LIST = {
  name: 'list_tokens',
  text: `select id, person_id, role, label, created_at, expires_at from tokens
    where ${IN_REACH} and (created_at, id) < ($4::timestamptz, $5)
    order by created_at desc, id desc limit $3`,
}

const REVOKE = {
  name: 'revoke_token',
  text: `with revoked as (
      update tokens set revoked_at = now() where id = $3 and ${IN_REACH}
      returning id, reflection_id
    )
    -- In the record that says it was made.
    insert into audit_log (reflection_id, who, what, target)
    select reflection_id, $4, 'token_revoked', id from revoked returning target`,
}

// Of a token that is there only its revocation changes: the role that serves may update nothing else.
const ENSURE_OWNER = {
  name: 'ensure_owner',
  text: `with issued as (
      select from tokens where token_hash = $3 and kind = 'issued'
    ), person as (
      insert into people (id, label) values ($2, 'Owner') on conflict do nothing
    ), replaced as (
      update tokens set revoked_at = now()
      where kind = 'owner_key' and token_hash <> $3 and revoked_at is null and not exists (select from issued)
    )
    insert into tokens (id, person_id, label, role, kind, token_hash)
    values ($1, $2, 'Owner', 'owner', 'owner_key', $3)
    on conflict (token_hash) do update set revoked_at = null where tokens.kind = 'owner_key'
    returning id`,
}
