import { AddSource, isStorable, PlatformError, UNSTORABLE } from '@parley/contracts'
import type { NewSource } from '@parley/knowledge'
import type { HonoRequest } from 'hono'
import { z } from 'zod'
import { createValidationError } from './problems.ts'

/** The source in a request: text as JSON, or a file as a form. */
export function readSource(request: HonoRequest): Promise<NewSource> {
  return isForm(request) ? readFileSource(request) : readTextSource(request)
}

/** Whether the body is a form. Only a form can hold a file. */
export const isForm = (request: HonoRequest): boolean =>
  /^multipart\/form-data\s*;/i.test(request.header('content-type') ?? '')

export const readForm = (request: HonoRequest): Promise<FormData> => request.formData().catch(refuseForm)

const Title = AddSource.shape.title.refine(isStorable, UNSTORABLE)
const TextFields = AddSource.extend({ title: Title })
const FileFields = z.object({
  title: Title,
  namespace: AddSource.shape.namespace,
  file: z.instanceof(File, { error: 'the file itself is missing, as the field "file"' }),
})

async function readTextSource(request: HonoRequest): Promise<NewSource> {
  const { title, namespace, text } = parseFields(TextFields, await request.json().catch(refuseJson))
  return { title, namespace, bytes: Buffer.from(text), mediaType: 'text/plain' }
}

async function readFileSource(request: HonoRequest): Promise<NewSource> {
  const form = await readForm(request)
  const file = form.get('file')
  const fileName = file instanceof File ? toBaseName(file.name) : ''
  const fields = parseFields(FileFields, {
    title: form.get('title') ?? fileName,
    namespace: form.get('namespace') ?? undefined,
    file,
  })
  return {
    title: fields.title,
    namespace: fields.namespace,
    bytes: new Uint8Array(await fields.file.arrayBuffer()),
    mediaType: fields.file.type || 'application/octet-stream',
    ...(fileName && { fileName }),
  }
}

/** The last part of a path, without characters that cannot be stored. */
const toBaseName = (name: string): string =>
  (name.split(/[\\/]/).at(-1) ?? '').replaceAll('\0', '').toWellFormed().slice(0, 255).toWellFormed()

function parseFields<Fields>(schema: z.ZodType<Fields>, fields: unknown): Fields {
  const result = schema.safeParse(fields)
  if (result.success) return result.data
  throw createValidationError(result.error.issues)
}

const refuseJson = () => {
  throw new PlatformError('validation', { message: 'The body is not valid JSON.' })
}

const refuseForm = () => {
  throw new PlatformError('validation', {
    message: 'The form cannot be read: it did not arrive whole, or its boundary is not the one in its type.',
  })
}
