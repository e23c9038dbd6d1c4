import { withoutMarks } from '../markdown/without-marks.ts'
import { visibleText } from '../ui/visible-text.ts'
import type { Found } from './found-in.ts'

/** What was looked up, to be read: the words, and the source that they stand in. */
export function FoundList({ found }: { found: readonly Found[] }) {
  if (found.length === 0) return <p>Nothing was found.</p>
  return (
    <ul aria-label="What was found" className="flex flex-col gap-2">
      {found.map(({ text, title }, index) => (
        <li key={index}>
          <p className="line-clamp-3 wrap-anywhere">“{visibleText(withoutMarks(text).trim())}”</p>
          {title !== '' && <p className="text-ink wrap-anywhere">{visibleText(title)}</p>}
        </li>
      ))}
    </ul>
  )
}
