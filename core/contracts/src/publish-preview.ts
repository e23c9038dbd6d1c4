import { z } from 'zod'
import { SourceId } from './ids.ts'
import { NamespaceName } from './reflection.ts'
import { strictObject } from './strict-object.ts'

export const PreviewPublish = strictObject({
  namespaces: z.array(NamespaceName).min(1).max(100),
  /** False for what unpublishing them would do. */
  publish: z.boolean(),
})
export type PreviewPublish = z.infer<typeof PreviewPublish>

/** Of all that would be public, word for word. */
const PreviewHash = z.string().regex(/^[0-9a-f]{64}$/, 'must be the previewHash of a preview')

export const UnpublishNamespaces = strictObject({ namespaces: z.array(NamespaceName).min(1).max(100) })

export const PublishNamespaces = strictObject({
  ...UnpublishNamespaces.shape,
  /** Of the preview that was looked at. */
  previewHash: PreviewHash.optional(),
})

/** What the public would be told if this were published, or were so no more. Nothing of it is kept. */
export const PublishPreview = z.object({
  /** All namespaces that would be public. */
  published: z.array(NamespaceName),
  /** Those that become public, or are so no more; latest first. */
  sources: z.array(z.object({ id: SourceId, title: z.string(), contentHash: z.string() })),
  /** How many facts become public, or are so no more. */
  facts: z.int().min(0),
  /** What the public agent says of the person, line by line. */
  dossier: z.object({
    removed: z.array(z.string()),
    added: z.array(z.string()),
    kept: z.array(z.string()),
  }),
  firstMessage: z.string(),
  /** All that it is told before a conversation. */
  prompt: z.string(),
  /** Why it would not be let serve; empty where it would. */
  refused: z.array(z.string()),
  /** Sent along with the change, it is refused where something else would be public by then. */
  previewHash: PreviewHash,
  /** Links that are good, and reach any of it. */
  links: z.int().min(0),
  /** Sessions of visitors that are on. */
  visitors: z.int().min(0),
})
export type PublishPreview = z.infer<typeof PublishPreview>
