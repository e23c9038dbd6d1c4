-- Which surface a session has is settled once its row is there: whether its person was here before is read after that.
grant update (surface) on reflection_sessions to parley_serving;
