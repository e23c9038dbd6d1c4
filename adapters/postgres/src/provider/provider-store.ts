import type { Json } from '@parley/contracts'

/** What the local voice provider keeps. */
export interface ProviderStore {
  readonly documents: DocumentStore
  readonly conversations: ConversationStore
  readonly signedUrls: SignedUrlStore
  readonly deliveries: DeliveryStore
  close(): Promise<void>
}

export type Body = Readonly<Record<string, Json>>

/** Anything with an id that is written and read as a whole: an agent, a tool, a webhook. */
export interface StoredDocument {
  readonly id: string
  readonly parentId?: string
  readonly body: Body
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface NewDocument {
  readonly id: string
  readonly parentId?: string
  readonly body: Body
  /** Sealed before it is stored, and never part of what is listed. */
  readonly secret?: string
}

export interface DocumentPage {
  readonly limit: number
  readonly cursor?: string
  readonly parentId?: string
  /** A part of the name, in any case. */
  readonly search?: string
  /** What the body has to contain. */
  readonly contains?: Body
  readonly sortBy?: 'created_at' | 'name'
  readonly direction?: 'asc' | 'desc'
}

export interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

export interface DocumentStore {
  /** A document that is there already is replaced; its secret only by another one. */
  put(kind: string, document: NewDocument): Promise<StoredDocument>
  get(kind: string, id: string): Promise<StoredDocument | undefined>
  /**
   * Reads, changes and writes as one step; others who change it wait. Undefined where there is none, or where the
   * change leaves it as it is by giving nothing back.
   */
  change(
    kind: string,
    id: string,
    change: (body: Body) => Body | undefined,
  ): Promise<StoredDocument | undefined>
  list(kind: string, page: DocumentPage): Promise<PageOf<StoredDocument>>
  /** With all that belongs to it. Whether there was one. */
  remove(kind: string, id: string): Promise<boolean>
  /** Undefined where it has none, or none that this database's password opens. */
  secretOf(kind: string, id: string): Promise<string | undefined>
}

export type ConversationStatus = 'initiated' | 'in-progress' | 'processing' | 'done' | 'failed'

export interface ConversationState {
  readonly id: string
  readonly agentId: string
  readonly userId?: string
  readonly status: ConversationStatus
  readonly body: Body
}

export interface StoredConversation extends ConversationState {
  readonly feedback?: Body
  readonly startedAt: Date
}

export interface ConversationPage {
  readonly limit: number
  readonly cursor?: string
  readonly agentId?: string
  readonly userId?: string
  readonly callSuccessful?: string
  readonly startedAfter?: Date
  readonly startedBefore?: Date
}

export interface NewDelivery {
  readonly webhookId: string
  readonly body: string
  readonly dueAt?: Date
}

export interface FailedConversation {
  readonly body: Body
  readonly deliveries?: readonly NewDelivery[]
}

export interface ConversationStore {
  /** From now on it is this process's, until it is finished. */
  open(state: ConversationState): Promise<void>
  /** Does nothing to a conversation that was removed. */
  save(state: ConversationState): Promise<void>
  /** Its end, its audio, and what is to be told of it: all or nothing. */
  finish(
    state: ConversationState,
    result: { readonly audio?: Uint8Array; readonly deliveries?: readonly NewDelivery[] },
  ): Promise<void>
  get(id: string): Promise<StoredConversation | undefined>
  list(page: ConversationPage): Promise<PageOf<StoredConversation>>
  audio(id: string): Promise<Uint8Array | undefined>
  /** Whether there is such a conversation. */
  rate(id: string, feedback: Body): Promise<boolean>
  /** With what is still to be told of it, and the documents that belong to it. Whether there was one. */
  remove(id: string): Promise<boolean>
  /** Fails those whose process is gone, each with what is to be told of it; their ids. */
  failDead(endOf: (body: Body) => Promise<FailedConversation>): Promise<readonly string[]>
}

export interface SignedUrl {
  readonly agentId: string
  /** Good for one connection where it names the conversation. */
  readonly conversationId?: string
  readonly body: Body
}

export interface SignedUrlStore {
  /** Of the signature only the hash is kept. */
  create(signature: string, url: SignedUrl, expiresAt: Date): Promise<void>
  /** Uses it. Undefined for one that is unknown, too late, or used and good only once. */
  use(signature: string): Promise<SignedUrl | undefined>
}

export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly conversationId: string
  readonly body: string
  /** This one counted. */
  readonly attempt: number
}

export interface DeliveryStore {
  /** Takes those that are due, for that long; who dies with them leaves them to the next. */
  claim(limit: number, holdMs: number): Promise<readonly Delivery[]>
  putOff(id: string, until: Date): Promise<void>
  /** Delivered, or given up. */
  remove(id: string): Promise<void>
}
