import { randomBytes } from 'node:crypto'
import {
  type MemberRole,
  type PageQuery,
  type PersonId,
  PlatformError,
  type ReflectionId,
  type Role,
} from '@parley/contracts'
import type { ResultPage } from '@parley/knowledge'
import { parseTimePage, toPage, toTimeCursor } from '../pages.ts'
import { type RowOf, findRecord, toRecord } from '../records.ts'
import { type Run, hasRows } from '../run-statements.ts'
import { statement } from '../statement.ts'

/** The person and role of a token. */
export interface TokenRecord {
  readonly tokenId: string
  readonly personId: PersonId
  readonly role: Role
  readonly label: string
  /** An invited person, who only sees the reflections that they are a member of. */
  readonly isInvited?: true
}

export interface NewToken {
  readonly personId: PersonId
  readonly label: string
  readonly role: Role
  /** The token's SHA-256; the token itself is never stored. */
  readonly tokenHash: Uint8Array
  readonly expiresAt?: string
  /** The person who creates it. */
  readonly by: PersonId
  /** The reflection that it is for, whose audit log records it too. */
  readonly reflectionId?: ReflectionId
  /** Its holder only sees the reflections that they are a member of, as its creator does. */
  readonly isInvited?: true
  /** The hash of a JWT subject, which stands for this person from now on. */
  readonly subjectHash?: Uint8Array
}

/** For a reflection token, the role is the one in the reflection. */
export interface ListedToken extends TokenRecord {
  readonly reflectionId?: ReflectionId
  readonly createdAt: string
  readonly expiresAt?: string
}

/** The issued tokens that a person may see and revoke. */
export interface TokenReach {
  /** Tokens that are not for a reflection. */
  readonly roles: readonly Role[]
  /** Reflection tokens whose holder ranks no higher than this admin of the reflection. */
  readonly adminId?: PersonId
}

export interface TokenStore {
  /** A new person gets the token's label as name. The audit log records the token in the same transaction. */
  create(token: NewToken): Promise<TokenRecord>
  /** Finds a token by its hash or by the secret of a signed-in browser. Undefined if unknown, revoked or expired. */
  find(tokenHash: Uint8Array): Promise<TokenRecord | undefined>
  /** The tokens within reach that are not revoked, latest first. */
  list(page: PageQuery & { readonly reach: TokenReach }): Promise<ResultPage<ListedToken>>
  /** Revokes a token and records it. Returns whether there was such a token within reach. */
  revoke(tokenId: string, reach: TokenReach, by: PersonId): Promise<boolean>
  /** Makes this the owner's token and revokes the earlier one. Refuses a token that was issued to somebody. */
  ensureOwner(owner: { readonly tokenHash: Uint8Array }): Promise<PersonId>
  /**
   * A person's role in a reflection now; the server's owner owns all. Undefined for a person who is no member or has no
   * valid token, and for a removed reflection.
   */
  findReflectionRole(reflectionId: ReflectionId, personId: PersonId): Promise<MemberRole | undefined>
  /** The names of people; unknown people are left out. */
  findLabels(personIds: readonly PersonId[]): Promise<ReadonlyMap<PersonId, string>>
}

const OWNER = 'per_owner' as PersonId

export function postgresTokenStore(run: Run): TokenStore {
  return {
    async create({ personId, label, role, tokenHash, expiresAt, by, reflectionId, subjectHash, isInvited }) {
      const tokenId = createTokenId()
      const values = [tokenId, personId, label, role, toBuffer(tokenHash), expiresAt]
      await run(CREATE_TOKEN, [...values, by, reflectionId, isInvited ? 'invited' : 'issued'])
      if (subjectHash) await run(INSERT_SUBJECT, [toBuffer(subjectHash), tokenId])
      return { tokenId, personId, role, label, ...(isInvited && { isInvited }) }
    },

    find: (tokenHash) => findRecord(run(FIND, [toBuffer(tokenHash)])),

    async list({ reach, ...page }) {
      const rows = await run<RowOf<ListedToken>>(LIST, [...toReachValues(reach), ...parseTimePage(page)])
      return toPage(page, rows, toRecord<ListedToken>, (last) => toTimeCursor(last.created_at, last.token_id))
    },

    revoke: (tokenId, reach, by) => hasRows(run(REVOKE, [...toReachValues(reach), tokenId, by])),

    async findReflectionRole(reflectionId, personId) {
      const [row] = await run<{ role: MemberRole | null }>(ROLE_ON, [reflectionId, personId])
      return row?.role ?? undefined
    },

    async findLabels(personIds) {
      const rows = await run<{ id: PersonId; label: string }>(LABELS_OF, [personIds])
      return new Map(rows.map(({ id, label }) => [id, label]))
    },

    async ensureOwner({ tokenHash }) {
      const rows = await run(ENSURE_OWNER, [createTokenId(), OWNER, toBuffer(tokenHash)])
      if (rows.length > 0) return OWNER
      throw new PlatformError('config_invalid', {
        message: 'PARLEY_OWNER_TOKEN is a token that was issued to somebody. Set it to another one.',
      })
    },
  }
}

const toReachValues = ({ roles, adminId }: TokenReach) => [roles, adminId]

export const createTokenId = () => `tok_${randomBytes(12).toString('hex')}`

const toBuffer = (hash: Uint8Array) => Buffer.from(hash)

export const CREATE_TOKEN = statement(`with person as (
    insert into people (id, label) values ($2, $3) on conflict do nothing
  ), recorded as (
    insert into audit_log (reflection_id, who, what, target) values ($8, $7, 'token_minted', $1)
  )
  insert into tokens (id, person_id, label, role, kind, token_hash, expires_at, reflection_id)
  values ($1, $2, $3, $4, $9, $5, $6, $8)`)

const INSERT_SUBJECT = statement(`insert into known_subjects (subject_hash, token_id) values ($1, $2)
  on conflict (subject_hash) do update set token_id = excluded.token_id`)

/** A token, or a share link, that is neither revoked nor expired. */
export const whereValid = (table: string) =>
  `${table}.revoked_at is null and (${table}.expires_at is null or ${table}.expires_at > now())`

/** The id of the token with this hash, or of the token behind a sign-in or JWT subject with this hash. */
export const ID_BY_HASH = `coalesce(
  (select id from tokens where token_hash = $1),
  (select token_id from sign_ins where secret_hash = $1 and sign_ins.expires_at > now()),
  (select token_id from known_subjects where subject_hash = $1))`

const COLUMNS = `id as token_id, person_id, label, nullif(kind = 'invited', false) as is_invited`

const FIND = statement(`
  select ${COLUMNS}, role from tokens where ${whereValid('tokens')} and id = ${ID_BY_HASH}`)

const ROLE_ON = statement(`select case when 'owner' = any(standing.roles) then 'owner' else m.role end as role
  from (select array_agg(role) as roles from tokens where person_id = $2 and ${whereValid('tokens')}) as standing
    join reflections r on r.id = $1 and r.removed_at is null
    left join reflection_members m on m.reflection_id = r.id and m.person_id = $2
  where standing.roles is not null`)

const LABELS_OF = statement('select id, label from people where id = any($1)')

const HELD_ROLE = `(select m.role from reflection_members m
  where m.reflection_id = tokens.reflection_id and m.person_id = tokens.person_id)`

const IN_REACH = `kind <> 'owner_key' and revoked_at is null and case
    when reflection_id is null then role = any($1::text[])
    else $2::text is null or exists (
      select from reflection_members own
      where own.reflection_id = tokens.reflection_id and own.person_id = $2
        and (own.role = 'owner' or (own.role = 'admin' and ${HELD_ROLE} is distinct from 'owner'))
    ) end`

const LIST = statement(`
  select ${COLUMNS}, coalesce(${HELD_ROLE}, role) as role, reflection_id, created_at, expires_at
  from tokens
  where ${IN_REACH} and (created_at, id) < ($4::timestamptz, $5)
  order by created_at desc, id desc limit $3`)

const REVOKE = statement(`with revoked as (
    update tokens set revoked_at = now() where id = $3 and ${IN_REACH}
    returning id, reflection_id
  )
  -- In the same audit log as its creation.
  insert into audit_log (reflection_id, who, what, target)
  select reflection_id, $4, 'token_revoked', id from revoked returning target`)

// Only the revocation of a token ever changes: `parley_serving` may update nothing else.
const ENSURE_OWNER = statement(`with issued as (
    select from tokens where token_hash = $3 and kind <> 'owner_key'
  ), person as (
    insert into people (id, label) values ($2, 'Owner') on conflict do nothing
  ), replaced as (
    update tokens set revoked_at = now()
    where kind = 'owner_key' and token_hash <> $3 and revoked_at is null and not exists (select from issued)
  )
  insert into tokens (id, person_id, label, role, kind, token_hash)
  values ($1, $2, 'Owner', 'owner', 'owner_key', $3)
  on conflict (token_hash) do update set revoked_at = null where tokens.kind = 'owner_key'
  returning id`)
