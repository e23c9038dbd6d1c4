import { createHash, randomBytes } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { DATABASE_ROLES } from '../login/database-url.ts'
import { migrate } from '../migrate/migrate.ts'
import { testServerUrl } from './test-server.ts'

export interface FreshDatabase {
  readonly databaseUrl: string
  readonly drop: () => Promise<void>
}

/** A new database on the common server of the run: migrated (a fast clone) or empty. */
export async function freshDatabase(content: 'migrated' | 'empty' = 'migrated'): Promise<FreshDatabase> {
  const serverUrl = await testServerUrl()
  const name = `parley_test_${randomBytes(8).toString('hex')}`
  if (content === 'migrated') await cloneTemplate(serverUrl, name)
  else await runAsAdmin(serverUrl, `create database ${name}`)
  return {
    databaseUrl: toDatabaseUrl(serverUrl, name),
    drop: () => runAsAdmin(serverUrl, `drop database if exists ${name} with (force)`),
  }
}

let template: Promise<string> | undefined

async function cloneTemplate(serverUrl: string, name: string): Promise<void> {
  template ??= ensureTemplate(serverUrl)
  await runAsAdmin(
    serverUrl,
    // Copying files takes half the work of writing their content to the log.
    `create database ${name} template ${await template} strategy file_copy`,
    // A clone has the template's rights on its content, but not those on the database itself.
    `revoke all on database ${name} from public`,
    `grant connect on database ${name} to ${DATABASE_ROLES.join(', ')}`,
  )
}

/** Named after the migrations, so that a server that outlives the run never uses an old template. */
async function ensureTemplate(serverUrl: string): Promise<string> {
  const name = `parley_template_${await migrationsHash()}`
  const admin = await connect(serverUrl)
  try {
    await admin.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    if (rowCount) return name
    const draft = `${name}_draft`
    await admin.query(`drop database if exists ${draft} with (force)`)
    await admin.query(`create database ${draft}`)
    await migrate({ databaseUrl: toDatabaseUrl(serverUrl, draft) })
    await admin.query(`alter database ${draft} rename to ${name}`)
    return name
  } finally {
    await admin.end()
  }
}

async function migrationsHash(): Promise<string> {
  const folder = new URL('../../migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const file of (await readdir(fileURLToPath(folder))).toSorted()) {
    hash.update(file).update(await readFile(new URL(file, folder)))
  }
  return hash.digest('hex').slice(0, 16)
}

async function runAsAdmin(serverUrl: string, ...statements: readonly string[]): Promise<void> {
  const admin = await (administrator ??= connect(serverUrl))
  for (const statement of statements) await admin.query(statement)
}

/** One connection for all databases of this process: a connection costs more than most statements. */
let administrator: Promise<Client> | undefined

async function connect(serverUrl: string): Promise<Client> {
  const client = new Client({ connectionString: serverUrl })
  client.on('error', () => (administrator = undefined))
  await client.connect()
  return client
}

function toDatabaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

/** The tables, in all schemas, with a row that contains this text. */
export async function findTablesContaining(databaseUrl: string, text: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    )
    const holding: string[] = []
    for (const { name } of rows) {
      const matches = await client.query(`select from ${name} as t where strpos(t::text, $1) > 0 limit 1`, [
        text,
      ])
      if (matches.rowCount) holding.push(name)
    }
    return holding
  } finally {
    await client.end()
  }
}

/** Runs these statements in a transaction that stays open with its locks. */
export async function openTransaction(
  url: string,
  sql: string,
): Promise<{ query(sql: string): Promise<unknown>; end(): Promise<void> }> {
  const client = new Client(url)
  await client.connect()
  await client.query(`begin; ${sql}`)
  return { query: (next) => client.query(next), end: () => client.end() }
}
