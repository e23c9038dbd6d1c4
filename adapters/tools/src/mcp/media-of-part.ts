import type { ToolText } from '@parley/engine'
import { mediaTypeOf } from '../fs/media-type-of.ts'
import type { Connection } from './connect.ts'

export type CallResult = Awaited<ReturnType<Connection['call']>>
export type ResultPart = CallResult['content'][number]

type Media = NonNullable<Extract<ToolText, { kind: 'ok' }>['media']>[number]

/** The picture or sound in a part of a result, if it is what it says it is. */
export function mediaOfPart(part: ResultPart): Media | undefined {
  if (part.type !== 'image' && part.type !== 'audio') return undefined
  const mediaType = part.mimeType.toLowerCase()
  const bytes = Buffer.from(part.data, 'base64')
  if (bytes.length === 0 || bytes.length > LARGEST) return undefined
  const isRight =
    part.type === 'image'
      ? mediaType.startsWith('image/') && mediaTypeOf(bytes) === mediaType
      : SOUND.test(mediaType)
  return isRight ? { mediaType, bytes: new Uint8Array(bytes) } : undefined
}

const LARGEST = 5_000_000
const SOUND = /^audio\/[a-z0-9.+-]{1,60}$/
