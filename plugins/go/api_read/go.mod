module api_read_go

go 1.24

require engine v0.0.0

replace engine => ../../sdk/go
