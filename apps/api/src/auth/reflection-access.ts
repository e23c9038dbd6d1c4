import type { MemberRole } from '@parley/contracts'

/** The lowest role on a reflection that may call a route of it. Every route of one reflection is here. */
export const REFLECTION_ACCESS: Readonly<Record<string, MemberRole>> = {
  'GET /v1/reflections/{reflectionId}': 'viewer',
  'PATCH /v1/reflections/{reflectionId}': 'admin',
  'DELETE /v1/reflections/{reflectionId}': 'admin',
  'POST /v1/reflections/{reflectionId}/namespaces': 'admin',
  'POST /v1/reflections/{reflectionId}/publish': 'admin',
  'POST /v1/reflections/{reflectionId}/unpublish': 'admin',
  'GET /v1/reflections/{reflectionId}/audit': 'admin',
  'GET /v1/reflections/{reflectionId}/members': 'admin',
  'PUT /v1/reflections/{reflectionId}/members': 'admin',
  'DELETE /v1/reflections/{reflectionId}/members/{personId}': 'admin',
  'GET /v1/reflections/{reflectionId}/sources': 'viewer',
  'POST /v1/reflections/{reflectionId}/sources': 'operator',
  'GET /v1/reflections/{reflectionId}/sources/{sourceId}': 'viewer',
  'PUT /v1/reflections/{reflectionId}/sources/{sourceId}': 'operator',
  'DELETE /v1/reflections/{reflectionId}/sources/{sourceId}': 'operator',
  'GET /v1/reflections/{reflectionId}/facts': 'viewer',
  'POST /v1/reflections/{reflectionId}/corrections': 'operator',
  'GET /v1/reflections/{reflectionId}/patches': 'viewer',
  'GET /v1/reflections/{reflectionId}/patches/{patchId}': 'viewer',
  'POST /v1/reflections/{reflectionId}/patches/{patchId}/approve': 'operator',
  'POST /v1/reflections/{reflectionId}/patches/{patchId}/reject': 'operator',
  'POST /v1/reflections/{reflectionId}/patches/{patchId}/revert': 'operator',
  'POST /v1/reflections/{reflectionId}/ask': 'viewer',
}
