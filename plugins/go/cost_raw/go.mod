module cost_raw_go

go 1.24
