import {
  CreatedShareLink,
  type CreateShareLink,
  type ReflectionId,
  type ShareLink,
  ShareLinkList,
} from '@parley/contracts'
import { type Api, ask, request } from '../request.ts'
import { at, type OfReflection } from './of-reflection.ts'

/** The links that let anybody talk with what is published of a reflection. */
export interface SharingClient {
  /** Its token is told this once. */
  share(link: OfReflection & CreateShareLink): Promise<CreatedShareLink>
  /** Latest first. */
  shareLinks(reflectionId: ReflectionId): Promise<readonly ShareLink[]>
  unshare(link: OfReflection & { readonly linkId: string }): Promise<void>
}

export const createSharingClient = (api: Api): SharingClient => ({
  share: ({ reflectionId, ...body }) =>
    ask(api, CreatedShareLink, 'POST', at(reflectionId, 'share-links'), { body }),
  shareLinks: async (reflectionId) =>
    (await ask(api, ShareLinkList, 'GET', at(reflectionId, 'share-links'))).items,
  unshare: async ({ reflectionId, linkId }) =>
    void (await request(api, 'DELETE', at(reflectionId, 'share-links', linkId), {})),
})
