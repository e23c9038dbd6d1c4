import { missingOfVoice, type Reflection } from '@parley/contracts'

export const canSpeak = ({ voice }: Pick<Reflection, 'voice'>): boolean => missingOfVoice(voice).length === 0

/** The latest that can be spoken with, else the latest; undefined where there is none. */
export const firstToTalkWith = <Listed extends Pick<Reflection, 'voice'>>(
  reflections: readonly Listed[],
): Listed | undefined => reflections.find(canSpeak) ?? reflections[0]
