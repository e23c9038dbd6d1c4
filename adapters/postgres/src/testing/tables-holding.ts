import { Client } from 'pg'

/** The tables of all schemas of a database with a row that holds this text. */
export async function tablesHolding(databaseUrl: string, text: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    )
    const holding: string[] = []
    for (const { name } of rows) {
      const found = await client.query(`select from ${name} as t where strpos(t::text, $1) > 0 limit 1`, [
        text,
      ])
      if (found.rowCount) holding.push(name)
    }
    return holding
  } finally {
    await client.end()
  }
}
