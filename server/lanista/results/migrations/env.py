"""The code that alembic runs around the steps, with the caller's connection and transaction."""

from alembic import context

from lanista.results.schema import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
