import type { Trouble } from './trouble.ts'

/** What somebody can do about it. */
export type WayOn = 'type' | 'again' | 'new' | 'voice-settings' | 'runtime'

export interface TroubleWords {
  readonly title: string
  readonly text: string
  /** What exactly is missing or differs, for who can do something about it. */
  readonly details?: readonly string[]
  readonly ways: readonly WayOn[]
  /** It is tried again by itself. */
  readonly waits?: true
}

type Listener = 'owner' | 'member' | 'visitor'

const MICROPHONE = {
  'microphone-denied': {
    title: 'The microphone is blocked',
    text: 'Your browser does not let this page hear you. Allow the microphone for this site (in most browsers: the sign left of the address), then try again. Or type.',
  },
  'microphone-missing': {
    title: 'No microphone found',
    text: 'Connect one and try again, or type.',
  },
  'microphone-busy': {
    title: 'The microphone cannot be used now',
    text: 'Another program may be using it. Close that program and try again, or type.',
  },
  'microphone-unreachable': {
    title: 'Browsers hear only on safe pages',
    text: 'A microphone works on pages over HTTPS, or on this machine itself. Open Parley by such an address, or type.',
  },
} as const

/** What is told of a trouble, and the ways on. */
export function troubleInWords(trouble: Trouble, to: Listener): TroubleWords {
  switch (trouble.kind) {
    case 'microphone-denied':
    case 'microphone-missing':
    case 'microphone-busy':
    case 'microphone-unreachable':
      return { ...MICROPHONE[trouble.kind], ways: ['again', 'type'] }
    case 'public-stale':
    case 'public-not-ready':
      return to === 'visitor' ? GETTING_READY : publicTrouble(trouble)
    case 'not-ready':
      return {
        title: 'It cannot speak yet',
        text: 'What speaks for it is made in the background, from what was learned. It is tried again by itself.',
        details: trouble.missing,
        ways: ['again'],
        waits: true,
      }
    case 'voice-missing':
      return { title: 'It has no voice yet', ...voiceMissing(trouble.missing, to) }
    case 'link-invalid':
      return {
        title: 'This link does not work',
        text: 'It was revoked, has expired, or was not copied whole. Ask whoever gave it to you for a new one.',
        ways: [],
      }
    case 'nothing-public':
      return {
        title: 'Nothing is public now',
        text: 'The link is good, but what it leads to is not published at the moment. It begins here by itself once it is; or come back later.',
        ways: ['again'],
        waits: true,
      }
    case 'gone':
      return {
        title: 'This conversation is no longer here',
        text: 'It has ended, or the link that led to it was revoked.',
        ways: ['new'],
      }
    case 'ended':
      return { title: 'This conversation is over', text: trouble.message, ways: ['new'] }
    case 'rate-limited':
      return {
        title: trouble.seconds > 1 ? `Come back ${inTime(trouble.seconds)}` : 'That was too often',
        text: trouble.message,
        ways: ['again', 'new'],
      }
    case 'provider-unavailable':
      return {
        title: 'Speech is not to be had now',
        text: 'The voice provider does not answer. Try again in a minute, or type.',
        ways: ['again', 'type'],
      }
    case 'unreachable':
      return {
        title: 'The server does not answer',
        text: 'See that you are online and that it runs. It is tried again by itself.',
        ways: ['again', 'new'],
        waits: true,
      }
    case 'other':
      return { title: 'That did not work', text: trouble.message, ways: ['again', 'type'] }
    default:
      return trouble satisfies never
  }
}

const GETTING_READY: TroubleWords = {
  title: 'One moment',
  text: 'It is just being made ready to talk. This takes a few seconds, and begins by itself.',
  ways: [],
  waits: true,
}

/** A voice is for the owner to choose: who else is told of it is told by whom. */
function voiceMissing(details: readonly string[], to: Listener): Omit<TroubleWords, 'title'> {
  const text = 'To speak aloud it needs a voice that it may use'
  switch (to) {
    case 'owner':
      return { text: `${text}. You can type with it meanwhile.`, details, ways: ['type', 'voice-settings'] }
    case 'member':
      return {
        text: `${text}, which its owner can choose. You can type with it meanwhile.`,
        details,
        ways: ['type'],
      }
    case 'visitor':
      return { text: 'You can type with it.', ways: ['type'] }
    default:
      return to satisfies never
  }
}

function publicTrouble(
  trouble: Extract<Trouble, { kind: 'public-stale' | 'public-not-ready' }>,
): TroubleWords {
  return trouble.kind === 'public-stale'
    ? {
        title: 'What is public is being made anew',
        text: 'What speaks to the public does not match what is published now. It is tried again by itself.',
        details: trouble.differs,
        ways: ['again', 'runtime'],
        waits: true,
      }
    : {
        title: 'It cannot speak to the public yet',
        text: 'Publish a namespace, and wait until what speaks for it is built.',
        details: trouble.missing,
        ways: ['again', 'runtime'],
      }
}

function inTime(seconds: number): string {
  if (seconds < 60) return `in ${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
  const hours = Math.ceil(minutes / 60)
  return `in ${hours} ${hours === 1 ? 'hour' : 'hours'}`
}
