/** Line icons on a 20 by 20 grid. */
const PATHS = {
  approvals: 'M3.5 10.5l4.5 4.5L16.5 5.5',
  close: 'M5 5l10 10M15 5L5 15',
  down: 'M10 4v12M5 11l5 5 5-5',
  health: 'M2.5 10.5h3.5l2-5 3.5 9.5 2-4.5h4',
  home: 'M3.5 9.5L10 3.5l6.5 6M5.5 8v8.5h9V8',
  keyboard: 'M2.5 5.5h15v9h-15zM5.5 8.5h.01M8.5 8.5h.01M11.5 8.5h.01M14.5 8.5h.01M6.5 11.5h7',
  'hang-up':
    'M2.5 11.5c4.5-4.5 10.500-4.500 15 0l-1 2.500-3.500-.8-.5-2.200a9 9 0 0 0-5 0l-.5 2.200-3.500.8z',
  leave: 'M8 4H4v12h4M9 10h8M14 6.5l3.5 3.5-3.5 3.5',
  menu: 'M3 6h14M3 10h14M3 14h14',
  microphone:
    'M10 2.5a2.5 2.5 0 0 0-2.5 2.5v4.5a2.5 2.5 0 0 0 5 0V5A2.5 2.5 0 0 0 10 2.5zM4.5 9a5.5 5.5 0 0 0 11 0M10 14.5v3M7 17.5h6',
  'microphone-off':
    'M7.5 7.5v2a2.5 2.5 0 0 0 4 2M12.5 8.5V5a2.5 2.5 0 0 0-4.9-.7M4.5 9a5.5 5.5 0 0 0 8.5 4.6M15.5 9a5.5 5.5 0 0 1-.6 2.5M10 14.5v3M7 17.5h6M3 3l14 14',
  more: 'M4 10a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0M9.5 10a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0M15 10a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0',
  pause: 'M7 4.5v11M13 4.5v11',
  play: 'M6 4l10 6-10 6z',
  plus: 'M10 4v12M4 10h12',
  reflections: 'M10 2.5v15M7 5.5L2.5 14.5H7zM13 5.5l4.5 9H13z',
  search: 'M8.5 3a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM12.5 12.5L17 17',
  send: 'M10 16V4M5 9l5-5 5 5',
  sessions: 'M3.5 4.5h13v9h-7l-3.5 3v-3h-2.5z',
  step: 'M5 4l8 6-8 6zM15.5 4v12',
  stepBack: 'M15 4l-8 6 8 6zM4.5 4v12',
  stop: 'M6 6h8v8H6z',
  up: 'M10 16V4M5 9l5-5 5 5',
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
