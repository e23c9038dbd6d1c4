import { z } from 'zod'
import { type ChildHost, keepChild } from './keep-child.ts'

export interface KeptVoice {
  /** Where it answers, from then on and after every new start. */
  readonly url: Promise<string>
  stop(): Promise<void>
}

const Ready = z.object({ voiceUrl: z.string() })

/** The local voice provider as a process of its own: hearing and speaking take a core and much memory. */
export function keepVoice(host: Omit<ChildHost, 'name'>, wantedPort: number): KeptVoice {
  let port = String(wantedPort)
  const environment = () => ({ ...host.environment(), PARLEY_VOICE_PORT: port })
  const child = keepChild({ ...host, name: 'voice', environment })
  const url = child.ready.then((told) => {
    const { voiceUrl } = Ready.parse(told)
    port = new URL(voiceUrl).port
    return voiceUrl
  })
  url.catch(() => undefined)
  return { url, stop: () => child.stop() }
}
