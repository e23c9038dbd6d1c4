/** Drawn on a grid of 20 by 20, by lines only. */
const PATHS = {
  close: 'M5 5l10 10M15 5L5 15',
  down: 'M10 4v12M5 11l5 5 5-5',
  keyboard: 'M2.5 5.5h15v9h-15zM5.5 8.5h.01M8.5 8.5h.01M11.5 8.5h.01M14.5 8.5h.01M6.5 11.5h7',
  leave: 'M8 4H4v12h4M9 10h8M14 6.5l3.5 3.5-3.5 3.5',
  menu: 'M3 6h14M3 10h14M3 14h14',
  more: 'M4 10a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0M9.5 10a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0M15 10a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0',
  plus: 'M10 4v12M4 10h12',
  reflections: 'M10 2.5v15M7 5.5L2.5 14.5H7zM13 5.5l4.5 9H13z',
  search: 'M8.5 3a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM12.5 12.5L17 17',
  send: 'M10 16V4M5 9l5-5 5 5',
  sessions: 'M3.5 4.5h13v9h-7l-3.5 3v-3h-2.5z',
  stop: 'M6 6h8v8H6z',
  theme: 'M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      viewBox="0 0 20 20"
      className="size-[1.15em] shrink-0"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
