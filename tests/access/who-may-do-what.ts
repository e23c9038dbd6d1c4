import { MemberRole, Role } from '@parley/contracts'

/**
 * The access of every caller to every route. It is written apart from the server's own tables, so an accidental change
 * there fails a test.
 *
 * - `in`: access is allowed; the route may still refuse the request for another reason
 * - `401`: the caller is unknown
 * - `403`: the caller is known but not allowed
 * - `404`: the target does not exist for this caller
 *
 * The session belongs to the visitor in the last column.
 */
const TABLE = `
on the server                                                 nobody made-up owner admin operator viewer guest admin operator viewer viewer viewer   admin viewer viewer visitor
on the reflection                                             -      -       owner -     -        -      -     admin operator viewer owner  operator -     -      -      -
on another reflection                                         -      -       -     -     -        -      -     -     -        -      -      -        admin admin  viewer -

GET /healthz                                                  in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in
GET /readyz                                                   in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in
GET /metrics                                                  in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in
GET /v1/openapi.json                                          in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in
POST /v1/sign-in                                              in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in
DELETE /v1/sign-in                                            in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in
GET /v1/r/{token}                                             in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in
POST /v1/r/{token}/sessions                                   in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in
GET /v1/mobile/r/{token}                                      in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in
POST /v1/mobile/r/{token}/sessions                            in     in      in    in    in       in     in    in    in       in     in     in       in    in     in     in

POST /v1/tools/retrieve-context                               401    401     401   401   401      401    401   401   401      401    401    401      401   401    401    401
POST /v1/tools/request-source-ingest                          401    401     401   401   401      401    401   401   401      401    401    401      401   401    401    401
POST /v1/tools/propose-fact-correction                        401    401     401   401   401      401    401   401   401      401    401    401      401   401    401    401
POST /v1/webhooks/elevenlabs                                  401    401     401   401   401      401    401   401   401      401    401    401      401   401    401    401

GET /v1/me                                                    401    401     in    in    in       in     in    in    in       in     in     in       in    in     in     in
GET /v1/me/settings                                           401    401     in    in    in       in     403   in    in       in     in     in       in    in     in     403
PUT /v1/me/settings                                           401    401     in    in    in       in     403   in    in       in     in     in       in    in     in     403
GET /v1/health                                                401    401     in    in    403      403    403   in    403      403    403    403      in    403    403    403
POST /v1/health/probe                                         401    401     in    in    403      403    403   in    403      403    403    403      in    403    403    403
POST /v1/health/jobs/{jobId}/retry                            401    401     in    in    403      403    403   in    403      403    403    403      in    403    403    403
GET /v1/voices                                                401    401     in    in    403      403    403   in    403      403    in     403      in    in     403    403
GET /v1/audit                                                 401    401     in    403   403      403    403   403   403      403    403    403      403   403    403    403
GET /v1/tokens                                                401    401     in    in    403      403    403   in    403      403    in     403      in    in     403    403
POST /v1/tokens                                               401    401     in    in    403      403    403   in    403      403    in     403      in    in     403    403
DELETE /v1/tokens/{tokenId}                                   401    401     in    in    403      403    403   in    403      403    in     403      in    in     403    403

POST /v1/sessions                                             401    401     in    in    in       in     403   in    in       in     in     in       in    in     in     403
POST /v1/mobile/sessions                                      401    401     in    in    in       in     403   in    in       in     in     in       in    in     in     403
GET /v1/sessions                                              401    401     in    in    in       in     403   in    in       in     in     in       in    in     in     403
GET /v1/sessions/{sessionId}                                  401    401     in    404   404      404    404   in    404      404    in     404      404   404    404    in
PATCH /v1/sessions/{sessionId}                                401    401     404   404   404      404    403   404   404      404    404    404      404   404    404    403
DELETE /v1/sessions/{sessionId}                               401    401     in    404   404      404    403   in    404      404    in     404      404   404    404    403
GET /v1/approvals                                             401    401     in    in    in       403    403   in    in       403    403    403      in    403    403    403
GET /v1/sessions/{sessionId}/messages                         401    401     in    404   404      404    404   in    404      404    in     404      404   404    404    in
POST /v1/sessions/{sessionId}/messages                        401    401     404   404   404      404    404   404   404      404    404    404      404   404    404    in
GET /v1/sessions/{sessionId}/citations                        401    401     in    404   404      404    404   in    404      404    in     404      404   404    404    in
GET /v1/sessions/{sessionId}/media/{hash}                     401    401     in    404   404      404    404   in    404      404    in     404      404   404    404    in
GET /v1/sessions/{sessionId}/events                           401    401     in    404   404      404    404   in    404      404    in     404      404   404    404    in
GET /v1/sessions/{sessionId}/turns                            401    401     in    404   404      404    403   in    404      404    in     404      404   404    404    403
GET /v1/sessions/{sessionId}/export                           401    401     in    404   404      404    403   in    404      404    in     404      404   404    404    403
POST /v1/sessions/{sessionId}/export                          401    401     in    404   404      404    403   in    404      404    in     404      404   404    404    403
POST /v1/sessions/{sessionId}/cancel                          401    401     404   404   404      404    404   404   404      404    404    404      404   404    404    in
POST /v1/sessions/{sessionId}/resume                          401    401     404   404   404      404    403   404   404      404    404    404      404   404    404    403
POST /v1/sessions/{sessionId}/reconnect                       401    401     404   404   404      404    404   404   404      404    404    404      404   404    404    in
POST /v1/mobile/sessions/{sessionId}/reconnect                401    401     404   404   404      404    404   404   404      404    404    404      404   404    404    in
POST /v1/sessions/{sessionId}/end                             401    401     in    404   404      404    404   in    404      404    in     404      404   404    404    in
POST /v1/sessions/{sessionId}/fork                            401    401     404   404   404      404    403   404   404      404    404    404      404   404    404    403
POST /v1/sessions/{sessionId}/compact                         401    401     404   404   404      404    403   404   404      404    404    404      404   404    404    403
POST /v1/sessions/{sessionId}/trim                            401    401     404   404   404      404    403   404   404      404    404    404      404   404    404    403
POST /v1/sessions/{sessionId}/approvals/{callId}              401    401     404   404   404      403    403   404   404      403    403    403      404   403    403    403

GET /v1/reflections                                           401    401     in    in    in       in     403   in    in       in     in     in       in    in     in     403
POST /v1/reflections                                          401    401     in    in    403      403    403   in    403      403    403    403      in    403    403    403
GET /v1/reflections/{reflectionId}                            401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/summary                    401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
PATCH /v1/reflections/{reflectionId}                          401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
DELETE /v1/reflections/{reflectionId}                         401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/namespaces                401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/publish                   401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/unpublish                 401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/publish-preview           401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
GET /v1/reflections/{reflectionId}/audit                      401    401     in    404   404      404    403   403   403      403    in     403      404   404    404    403
GET /v1/reflections/{reflectionId}/members                    401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
PUT /v1/reflections/{reflectionId}/members                    401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/members                   401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
DELETE /v1/reflections/{reflectionId}/members/{personId}      401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/invitations               401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/members/{personId}/link   401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/leave                     401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/sources                    401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
POST /v1/reflections/{reflectionId}/sources                   401    401     in    404   404      404    403   in    in       403    in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/sources/{sourceId}         401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/sources/{sourceId}/text    401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
PUT /v1/reflections/{reflectionId}/sources/{sourceId}         401    401     in    404   404      404    403   in    in       403    in     in       404   404    404    403
DELETE /v1/reflections/{reflectionId}/sources/{sourceId}      401    401     in    404   404      404    403   in    in       403    in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/facts                      401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/facts/{factId}/history     401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
POST /v1/reflections/{reflectionId}/corrections               401    401     in    404   404      404    403   in    in       403    in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/patches                    401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/patches/{patchId}          401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
POST /v1/reflections/{reflectionId}/patches/{patchId}/approve 401    401     in    404   404      404    403   in    in       403    in     in       404   404    404    403
POST /v1/reflections/{reflectionId}/patches/{patchId}/reject  401    401     in    404   404      404    403   in    in       403    in     in       404   404    404    403
POST /v1/reflections/{reflectionId}/patches/{patchId}/revert  401    401     in    404   404      404    403   in    in       403    in     in       404   404    404    403
POST /v1/reflections/{reflectionId}/ask                       401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/share-links                401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/share-links               401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
DELETE /v1/reflections/{reflectionId}/share-links/{linkId}    401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
GET /v1/reflections/{reflectionId}/sync                       401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
POST /v1/reflections/{reflectionId}/sync                      401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/audit                     401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/agent-tests               401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
POST /v1/reflections/{reflectionId}/variables                 401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
GET /v1/reflections/{reflectionId}/explore-next               401    401     in    404   404      404    403   in    in       403    in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/artifacts                  401    401     in    404   404      404    403   in    in       in     in     in       404   404    404    403
GET /v1/reflections/{reflectionId}/artifacts/{generation}     401    401     in    404   404      404    403   in    403      403    in     403      404   404    404    403
`

const CELLS = ['in', '401', '403', '404'] as const
export type Cell = (typeof CELLS)[number]

export interface Caller {
  readonly name: string
  /** Undefined for an unknown caller. */
  readonly role: Role | undefined
  /** On the reflection; undefined if the caller is not a member. */
  readonly memberRole: MemberRole | undefined
  readonly roleElsewhere: MemberRole | undefined
}

const WIDTH_OF_ROUTE = 62

const [server, reflection, another, ...rows] = TABLE.split('\n')
  .filter((line) => line !== '')
  .map((line) => ({
    head: line.slice(0, WIDTH_OF_ROUTE).trim(),
    cells: line.slice(WIDTH_OF_ROUTE).trim().split(/ +/),
  }))

export const CALLERS: readonly Caller[] = (server?.cells ?? []).map((name, column) => {
  const memberRole = MemberRole.safeParse(reflection?.cells[column]).data
  const roleElsewhere = MemberRole.safeParse(another?.cells[column]).data
  return {
    name: [name, memberRole && `${memberRole} of it`, roleElsewhere && `${roleElsewhere} of another`]
      .filter((part) => part !== undefined)
      .join(', '),
    role: name === 'visitor' ? 'guest' : Role.safeParse(name).data,
    memberRole,
    roleElsewhere,
  }
})

export const WHO_MAY_DO_WHAT: ReadonlyMap<string, ReadonlyMap<Caller, Cell>> = new Map(
  rows.map(({ head, cells }) => [
    head,
    new Map(CALLERS.map((caller, column) => [caller, parseCell(cells[column])])),
  ]),
)

function parseCell(text: string | undefined): Cell {
  const cell = CELLS.find((known) => known === text)
  if (cell) return cell
  throw new Error(`${text} is not a value of the table.`)
}
