import type { VendorKind } from '../settings.ts'

export interface ListedModel {
  readonly id: string
  readonly name?: string
  readonly contextWindow?: number
}

interface Page {
  readonly items: readonly ListedModel[]
  /** What to ask the next page by. */
  readonly next?: string
}

/** One page of a vendor's list. Throws where it is none. */
export function pageOf(kind: VendorKind, body: string): Page {
  const page = JSON.parse(body) as Partial<GooglePage & ListPage>
  const listed = kind === 'google' ? page.models : page.data
  if (!Array.isArray(listed)) throw new TypeError('not a list of models')
  if (kind === 'google') return googlePage(page)
  const items = (page.data ?? []).flatMap((model) => (typeof model.id === 'string' ? [ofList(model)] : []))
  return page.has_more && page.last_id ? { items, next: page.last_id } : { items }
}

interface ListPage {
  readonly data: readonly {
    readonly id?: unknown
    readonly display_name?: string
    readonly max_input_tokens?: number
  }[]
  readonly has_more?: boolean
  readonly last_id?: string
}

interface GooglePage {
  readonly models: readonly {
    readonly name?: unknown
    readonly displayName?: string
    readonly inputTokenLimit?: number
    readonly supportedGenerationMethods?: readonly string[]
  }[]
  readonly nextPageToken?: string
}

const ofList = ({
  id,
  display_name: name,
  max_input_tokens: window,
}: ListPage['data'][number]): ListedModel => ({
  id: String(id),
  ...(name !== undefined && { name }),
  ...(typeof window === 'number' && { contextWindow: window }),
})

function googlePage({ models = [], nextPageToken }: Partial<GooglePage>): Page {
  const items = models.flatMap(({ name, displayName, inputTokenLimit, supportedGenerationMethods }) => {
    const canChat = supportedGenerationMethods?.includes('generateContent') ?? true
    if (typeof name !== 'string' || !canChat) return []
    return [
      {
        id: name.replace(/^models\//, ''),
        ...(displayName !== undefined && { name: displayName }),
        ...(inputTokenLimit !== undefined && { contextWindow: inputTokenLimit }),
      },
    ]
  })
  return nextPageToken ? { items, next: nextPageToken } : { items }
}
