import type { ProviderStore, StoredDocument } from '@parley/postgres'
import type { ToolConfig, ToolDocument } from '../agents/tool-document.ts'
import type { ResponseMock } from '../agents/tool-mocks.ts'
import type { ConversationHost } from '../conversation/conversation-host.ts'

/** What conversations look up in the workspace while they run. */
export function workspace({
  documents,
}: Pick<ProviderStore, 'documents'>): Pick<
  ConversationHost,
  'findTools' | 'secretValue' | 'environmentValue'
> {
  const secretValue = (secretId: string) => documents.secretOf('secret', secretId)
  return {
    secretValue,
    async findTools(ids) {
      const found = await Promise.all(ids.map((id) => documents.get('tool', id)))
      return found.flatMap((tool) => (tool ? [toolOf(tool)] : []))
    },
    async environmentValue(label, environment) {
      const { items } = await documents.list('environment_variable', { limit: 1, contains: { label } })
      const values = items[0]?.body['values'] as Readonly<Record<string, Value>> | undefined
      // What an environment does not say for itself holds as in production.
      const value = values?.[environment] ?? values?.['production']
      return typeof value === 'object' ? secretValue(value.secret_id) : value
    },
  }
}

const toolOf = ({ id, body }: StoredDocument): ToolDocument => ({
  id,
  tool_config: body['tool_config'] as unknown as ToolConfig,
  response_mocks: (body['response_mocks'] ?? []) as unknown as readonly ResponseMock[],
})

type Value = string | { readonly secret_id: string }
