-- What is withheld is asked for once a statement, and not once a row.
grant execute on function gate.withheld(text[]) to parley_member;
alter policy reached on sources using (
  namespace_id = any((select gate.reach())::text[])
  and (id, namespace_id) not in (select * from gate.withheld((select gate.reach())))
);
alter policy reached on facts using (
  namespace_id = any((select gate.reach())::text[])
  and (source_id, namespace_id) not in (select * from gate.withheld((select gate.reach())))
);
alter policy reached on intake using (
  namespace_id = any((select gate.reach())::text[])
  and (source_id, namespace_id) not in (select * from gate.withheld((select gate.reach())))
  or kind = 'correction' and requested_by = (select gate.reaching_person())
);
