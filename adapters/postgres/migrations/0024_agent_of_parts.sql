-- A fourth agent of a reflection: it speaks in calls by links for a part of what is published, and holds no dossier.
alter table runtime_syncs drop constraint runtime_syncs_surface_check;
alter table runtime_syncs add constraint runtime_syncs_surface_check
  check (surface in ('standard', 'memory', 'public', 'public_part'));
