import { useNavigate } from '@tanstack/react-router'
import { useOpenReflection } from '../../open-reflection.ts'
import type { LookInAddress } from './look-in-address.ts'

/** Changes what is looked at, in the address, so that it can be kept and given on. */
export function useLookChange(look: LookInAddress) {
  const { id: reflectionId } = useOpenReflection().reflection
  const navigate = useNavigate()
  return (change: { readonly [Key in keyof LookInAddress]: LookInAddress[Key] | undefined }) =>
    void navigate({
      to: '/reflections/$reflectionId/runtime/variables',
      params: { reflectionId },
      search: present({ ...look, ...change }),
      replace: true,
    })
}

const present = (look: Readonly<Record<string, unknown>>): LookInAddress =>
  Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined))
