import type { SessionMessage } from '@parley/contracts'
import { visibleText } from '../ui/visible-text.ts'
import { mediaAddress } from './media-address.ts'

/** Formats that a browser only draws. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** What came along with a message: pictures to see, everything to save. */
export function MediaView({ message: { sessionId, content } }: { message: SessionMessage }) {
  const media = content.flatMap((part) => (part.type === 'media' ? [part] : []))
  if (media.length === 0) return null
  return (
    <ul aria-label="Attached" className="flex flex-wrap gap-3 text-sm">
      {media.map(({ handle, mediaType, name }, index) => {
        const address = mediaAddress(sessionId, handle)
        const label = visibleText(name ?? mediaType)
        return (
          <li key={index}>
            <a href={address} download={name ?? true} className="text-accent flex flex-col gap-1 underline">
              {PICTURES.has(mediaType) && (
                <img
                  src={address}
                  alt=""
                  loading="lazy"
                  className="border-line size-32 border object-contain"
                />
              )}
              {label}
            </a>
          </li>
        )
      })}
    </ul>
  )
}
