package cli

type tryCommand struct{}

func (tryCommand) Run(a *app) error {
	return faultf(codeInternal, "wait for the next version", "the tour is not built yet")
}
