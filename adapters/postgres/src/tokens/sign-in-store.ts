import type { Run } from '../queries.ts'
import { ID_BY_HASH } from './token-store.ts'

/** Browsers that are signed in, each by a secret of its own, of which only the hash is kept. */
export interface SignInStore {
  /** By a token, which it is worth as much as, for as long as both last. Those that are over are forgotten. */
  create(signIn: {
    readonly tokenHash: Uint8Array
    readonly secretHash: Uint8Array
    readonly expiresAt: string
  }): Promise<void>
  end(secretHash: Uint8Array): Promise<void>
}

export const postgresSignInStore = (run: Run): SignInStore => ({
  async create({ tokenHash, secretHash, expiresAt }) {
    await run(CREATE, [Buffer.from(tokenHash), Buffer.from(secretHash), expiresAt])
  },
  async end(secretHash) {
    await run(END, [Buffer.from(secretHash)])
  },
})

const CREATE = {
  name: 'create_sign_in',
  text: `with over as (delete from sign_ins where expires_at <= now())
    insert into sign_ins (secret_hash, token_id, expires_at)
    select $2, id, $3::timestamptz from tokens where id = ${ID_BY_HASH}`,
}

const END = { name: 'end_sign_in', text: 'delete from sign_ins where secret_hash = $1' }
