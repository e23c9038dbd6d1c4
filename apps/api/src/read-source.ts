import { AddSource, CONVERSATIONS, MAX_SOURCE_BYTES, PlatformError } from '@parley/contracts'
import type { NewSource } from '@parley/knowledge'
import type { HonoRequest } from 'hono'
import { z } from 'zod'
import { invalidRequest } from './problems.ts'
import { isStorable, UNSTORABLE } from '@parley/contracts'

/** The source in a request: text as JSON, or a file as a form. */
export async function readSource(request: HonoRequest): Promise<NewSource> {
  const source = isForm(request) ? await fileIn(request) : await textIn(request)
  if (source.namespace === CONVERSATIONS) {
    throw new PlatformError('namespace_reserved', {
      message: `The namespace ${CONVERSATIONS} holds the transcripts of sessions, and nothing is added to it by hand. Name another.`,
    })
  }
  if (source.bytes.length > MAX_SOURCE_BYTES) {
    throw new PlatformError('payload_too_large', {
      message: `A source has at most ${MAX_SOURCE_BYTES} bytes. Split it into several.`,
    })
  }
  return source
}

/** Whether the body is a form, which alone can hold a file. */
export const isForm = (request: HonoRequest): boolean =>
  /^multipart\/form-data\s*;/i.test(request.header('content-type') ?? '')

export const readForm = (request: HonoRequest): Promise<FormData> => request.formData().catch(notWhole)

const Title = AddSource.shape.title.refine(isStorable, UNSTORABLE)
const Text = AddSource.extend({ title: Title })
const Fields = z.object({
  title: Title,
  namespace: AddSource.shape.namespace,
  file: z.instanceof(File, { error: 'the file itself is missing, as the field "file"' }),
})

async function textIn(request: HonoRequest): Promise<NewSource> {
  const { title, namespace, text } = parsed(Text, await request.json().catch(notJson))
  return { title, namespace, bytes: Buffer.from(text), mediaType: 'text/plain' }
}

async function fileIn(request: HonoRequest): Promise<NewSource> {
  const form = await readForm(request)
  const file = form.get('file')
  const fileName = file instanceof File ? baseName(file.name) : ''
  const {
    title,
    namespace,
    file: given,
  } = parsed(Fields, {
    title: form.get('title') ?? fileName,
    namespace: form.get('namespace') ?? undefined,
    file,
  })
  return {
    title,
    namespace,
    bytes: new Uint8Array(await given.arrayBuffer()),
    mediaType: given.type || 'application/octet-stream',
    ...(fileName && { fileName }),
  }
}

/** Of a path only its last part is a name; what cannot be stored is left out. */
const baseName = (name: string): string =>
  (name.split(/[\\/]/).at(-1) ?? '').replaceAll('\0', '').toWellFormed().slice(0, 255).toWellFormed()

function parsed<T>(schema: z.ZodType<T>, given: unknown): T {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  throw invalidRequest(result.error.issues)
}

const notJson = () => {
  throw new PlatformError('validation', { message: 'The body is not valid JSON.' })
}

const notWhole = () => {
  throw new PlatformError('validation', {
    message: 'The form cannot be read: it did not arrive whole, or its boundary is not the one in its type.',
  })
}
