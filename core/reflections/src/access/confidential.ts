import {
  CONVERSATIONS,
  type Fact,
  type MemberRole,
  type Patch,
  type PersonId,
  type Source,
  isAtLeast,
} from '@parley/contracts'

/** What people say in sessions and corrections is confidential: only they and admins read it. Approved facts are not. */
export const canReadConfidential = (role: MemberRole): boolean => isAtLeast(role, 'admin')

/** The filter of a store's query. */
export const createConfidentialFilter = (
  role: MemberRole,
  personId: PersonId,
): { readonly excludeConfidential?: true; readonly exceptOf?: PersonId } =>
  canReadConfidential(role) ? {} : { excludeConfidential: true, exceptOf: personId }

export const canReadSource = ({ namespace }: Pick<Source, 'namespace'>, role: MemberRole): boolean =>
  namespace !== CONVERSATIONS || canReadConfidential(role)

/** The history of a fact, without its confidential parts. */
export const toReadableFacts = (facts: readonly Fact[], role: MemberRole): Fact[] =>
  facts
    .filter(
      ({ state, evidence }) =>
        state === 'active' || !evidence.some(isConfidential) || canReadConfidential(role),
    )
    .map((fact) => removeConfidentialEvidence(fact, role))

export const removeConfidentialEvidence = (fact: Fact, role: MemberRole): Fact =>
  canReadConfidential(role)
    ? fact
    : { ...fact, evidence: fact.evidence.filter((each) => !isConfidential(each)) }

/** A patch may replace facts with confidential evidence. */
export const toReadablePatch = (patch: Patch, role: MemberRole): Patch => ({
  ...patch,
  supersedes: patch.supersedes.map((fact) => removeConfidentialEvidence(fact, role)),
})

const isConfidential = (evidence: Fact['evidence'][number]): boolean => evidence.isConfided === true
