import type { Audience, Dossier, PackKind, Surface } from '@parley/contracts'

type Maturity = Dossier['maturity']

const PACKS: Readonly<Record<Audience, Readonly<Record<Maturity, Readonly<Record<Surface, PackKind>>>>>> = {
  private: {
    established: { standard: 'private_standard', memory: 'private_memory', public: 'public_standard' },
    emerging: { standard: 'private_emerging', memory: 'private_emerging', public: 'public_emerging' },
  },
  public: {
    established: { standard: 'public_standard', memory: 'public_standard', public: 'public_standard' },
    emerging: { standard: 'public_emerging', memory: 'public_emerging', public: 'public_emerging' },
  },
}

/** The kind of a session's pack. The public always gets a public one, and so does the public surface. */
export const getReflectionPromptPack = (audience: Audience, surface: Surface, maturity: Maturity): PackKind =>
  PACKS[audience][maturity][surface]
