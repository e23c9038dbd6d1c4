import type { ConversationStatus } from '@parley/reflections'
import type { Json } from '@parley/contracts'

/** The stores of the local voice provider. */
export interface ProviderStore {
  readonly documents: DocumentStore
  readonly conversations: ConversationStore
  readonly signedUrls: SignedUrlStore
  readonly deliveries: DeliveryStore
  close(): Promise<void>
}

export type JsonBody = Readonly<Record<string, Json>>

/** An object that is written and read as a whole, such as an agent, a tool or a webhook. */
export interface StoredDocument {
  readonly id: string
  readonly parentId?: string
  readonly body: JsonBody
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface NewDocument {
  readonly id: string
  readonly parentId?: string
  readonly body: JsonBody
  /** Encrypted before it is stored, and never listed. */
  readonly secret?: string
}

export interface DocumentPage {
  readonly limit: number
  readonly cursor?: string
  readonly parentId?: string
  /** A part of the name, case-insensitive. */
  readonly search?: string
  /** Values that the body must contain. */
  readonly contains?: JsonBody
  readonly sortBy?: 'created_at' | 'name'
  readonly direction?: 'asc' | 'desc'
}

export interface ProviderPage<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

export interface DocumentStore {
  /** Replaces an existing document; its secret only if a new one is given. */
  put(kind: string, document: NewDocument): Promise<StoredDocument>
  get(kind: string, id: string): Promise<StoredDocument | undefined>
  /**
   * Reads, changes and writes in one transaction; concurrent changes wait. Undefined if there is no document, or if the
   * change returns undefined to leave it unchanged.
   */
  change(
    kind: string,
    id: string,
    change: (body: JsonBody) => JsonBody | undefined,
  ): Promise<StoredDocument | undefined>
  list(kind: string, page: DocumentPage): Promise<ProviderPage<StoredDocument>>
  /** Removes it with its children. Returns whether it existed. */
  remove(kind: string, id: string): Promise<boolean>
  /** Undefined without a secret, or if this database's password does not open it. */
  readSecret(kind: string, id: string): Promise<string | undefined>
}

export interface ConversationState {
  readonly id: string
  readonly agentId: string
  readonly userId?: string
  readonly status: ConversationStatus
  readonly body: JsonBody
}

export interface StoredConversation extends ConversationState {
  readonly feedback?: JsonBody
  readonly startedAt: Date
}

export interface ConversationFilter {
  readonly limit: number
  readonly cursor?: string
  readonly agentId?: string
  readonly userId?: string
  readonly callSuccessful?: string
  readonly startedAfter?: Date
  readonly startedBefore?: Date
}

export interface NewWebhookDelivery {
  readonly webhookId: string
  readonly body: string
  readonly dueAt?: Date
}

export interface FailedConversation {
  readonly body: JsonBody
  readonly deliveries?: readonly NewWebhookDelivery[]
}

export interface ConversationStore {
  /** This process runs it until it is finished. */
  open(state: ConversationState): Promise<void>
  /** Does nothing if the conversation was removed. */
  save(state: ConversationState): Promise<void>
  /** Stores its end, its audio and its webhook deliveries in one transaction. */
  finish(
    state: ConversationState,
    result: { readonly audio?: Uint8Array; readonly deliveries?: readonly NewWebhookDelivery[] },
  ): Promise<void>
  get(id: string): Promise<StoredConversation | undefined>
  list(page: ConversationFilter): Promise<ProviderPage<StoredConversation>>
  readAudio(id: string): Promise<Uint8Array | undefined>
  /** Returns whether the conversation exists. */
  rate(id: string, feedback: JsonBody): Promise<boolean>
  /** Removes it with its pending deliveries and its documents. Returns whether it existed. */
  remove(id: string): Promise<boolean>
  /** Fails the conversations of dead processes, each with its deliveries. Returns their ids. */
  failDead(endOf: (body: JsonBody) => Promise<FailedConversation>): Promise<readonly string[]>
}

export interface StoredSignedUrl {
  readonly agentId: string
  /** If set, the URL is good for one connection. */
  readonly conversationId?: string
  readonly body: JsonBody
}

export interface SignedUrlStore {
  /** Only the hash of the signature is stored. */
  create(signature: string, url: StoredSignedUrl, expiresAt: Date): Promise<void>
  /** Uses it. Undefined if it is unknown, expired, or good for one use and used. */
  use(signature: string): Promise<StoredSignedUrl | undefined>
}

export interface WebhookDelivery {
  readonly id: string
  readonly webhookId: string
  readonly conversationId: string
  readonly body: string
  /** Including this one. */
  readonly attempt: number
}

export interface DeliveryStore {
  /** Takes due deliveries for this long; after that, another process may take them. */
  claim(limit: number, holdMs: number): Promise<readonly WebhookDelivery[]>
  putOff(id: string, until: Date): Promise<void>
  /** After it was delivered or given up. */
  remove(id: string): Promise<void>
}
