import type { ReflectionId } from '@parley/contracts'
import type { SearchRequest } from '@parley/knowledge'
import { toRoleUrl } from '@parley/postgres'
import { Client, type ClientConfig, type QueryResult } from 'pg'
import { readFloorSql } from '../stores/floor-sql.ts'

type AskFloor = (search: SearchRequest) => Promise<QueryResult>

/** Runs only the search, on one connection for each audience. */
export interface RetrieveFloor {
  readonly private: AskFloor
  readonly public: AskFloor
  readonly close: () => Promise<void>
}

export async function openRetrieveFloor(
  databaseUrl: string,
  { reflectionId, capability }: { reflectionId: ReflectionId; capability: Uint8Array },
): Promise<RetrieveFloor> {
  const sql = readFloorSql('retrieve.sql')
  const members = await connect({
    connectionString: toRoleUrl(databaseUrl, 'parley_serving'),
    options: '-c plan_cache_mode=force_generic_plan',
  })
  const visitors = await connect({ connectionString: toRoleUrl(databaseUrl, 'parley_public') })
  await visitors.query(sql('set_scope'), [Buffer.from(capability).toString('hex')])
  const searchPrivate = { name: 'search_private', text: sql('search_private') }
  const searchPublic = { name: 'search_public', text: sql('search_public') }
  return {
    private: (search) => members.query({ ...searchPrivate, values: [...toValues(search), reflectionId] }),
    public: (search) => visitors.query({ ...searchPublic, values: toValues(search) }),
    async close() {
      await members.end()
      await visitors.end()
    },
  }
}

async function connect(config: ClientConfig): Promise<Client> {
  const client = new Client(config)
  await client.connect()
  return client
}

const toValues = ({ query, entityKeys, limit }: SearchRequest) => [query, entityKeys, limit]
